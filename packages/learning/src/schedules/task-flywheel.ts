/**
 * `flywheel`: each round keeps what is still hard, hardens what is solved, and branches what failed.
 * Who writes the new tasks is a port; here is only which ones are asked for.
 *
 * Source: AgenticQwen (dual data flywheels), AgentSynth (difficulty by steps).
 */
import type { TaskReference } from "@waggle/protocol";
import type { FilterPart, RewardedGroup, TaskPort } from "../composition/part.ts";
import { kept, type StatePart } from "../composition/state.ts";
import { filterPart } from "../filters/filter-part.ts";
import { requireInside } from "../statistics.ts";

export type FlywheelTask = {
  readonly id: string;
  readonly passRate: number;
  /** Rounds of hardening behind it. */
  readonly generation: number;
};

export type FlywheelOrder =
  /** Keep it as it is. */
  | { readonly kind: "keep"; readonly id: string }
  /** Make a harder one of it. */
  | { readonly kind: "harden"; readonly id: string; readonly generation: number }
  /** Make several of its kind around the error. */
  | { readonly kind: "branch"; readonly id: string; readonly copies: number }
  /** Leave it out: solved and as hard as it gets, or hopeless for too long. */
  | { readonly kind: "retire"; readonly id: string };

export type FlywheelRule = {
  /** Pass rate from which a task is solved, and up to which it failed. Defaults 0.8 and 0.2. */
  readonly solvedFrom?: number;
  readonly failedTo?: number;
  readonly mostGenerations: number;
  /** New tasks around a failure. Default 2. */
  readonly copies?: number;
};

/** One order a task, in order. */
export function flywheelRound(
  tasks: readonly FlywheelTask[],
  { solvedFrom = 0.8, failedTo = 0.2, mostGenerations, copies = 2 }: FlywheelRule,
): FlywheelOrder[] {
  requireInside("failedTo", failedTo, 0, solvedFrom);
  return tasks.map(({ id, passRate, generation }): FlywheelOrder => {
    const isLast = generation >= mostGenerations;
    if (passRate >= solvedFrom) {
      return isLast ? { kind: "retire", id } : { kind: "harden", id, generation: generation + 1 };
    }
    if (passRate > failedTo) return { kind: "keep", id };
    // A task that hardening has made hopeless goes; one of the first generation is learned in parts.
    return isLast && passRate === 0 ? { kind: "retire", id } : { kind: "branch", id, copies };
  });
}

/** Tasks that are waiting for the next steps, each with how often it was made harder. */
type Waiting = { readonly task: TaskReference; readonly generation: number };

type Wheel = {
  readonly waiting: readonly Waiting[];
  readonly seen: { readonly [task: string]: number };
};

/** Nothing waits before the first step. */
export const taskWheel: StatePart<"task-stats"> = kept("task-stats", (): Wheel => ({
  waiting: [],
  seen: {},
}));

/** Most tasks that wait; the oldest are forgotten. */
const MOST = 256;

/**
 * `student-fail`: groups without a success and what was made of them come back; the next step's tasks
 * are those that wait, and new ones where there are too few.
 */
export function failuresReturn(
  rule: FlywheelRule = { mostGenerations: 2 },
): FilterPart<"task-stats"> {
  return filterPart(
    "student-fail",
    (groups, { state, ports: { tasks } }) => {
      const wheel = state["task-stats"] as Wheel;
      const made = groups.flatMap((group) => madeOf(group, wheel, rule, tasks));
      const names = new Set(groups.map(({ task }) => task));
      const waiting = [...wheel.waiting.filter(({ task }) => !names.has(nameOf(task))), ...made];
      const newest = waiting.slice(-MOST);
      return {
        groups,
        dropped: new Map(),
        state: {
          "task-stats": {
            waiting: newest,
            seen: Object.fromEntries(
              newest.map(({ task, generation }) => [nameOf(task), generation]),
            ),
          },
        },
      };
    },
    {
      needs: ["task-stats"],
      chooseTasks: (candidates, count, { state }) => {
        const { waiting } = state["task-stats"] as Wheel;
        return [...waiting.map(({ task }) => task), ...candidates].slice(0, count);
      },
    },
  );
}

/** Tasks that follow from how one went. */
function madeOf(
  { task: name, trajectories }: RewardedGroup,
  { seen }: Wheel,
  rule: FlywheelRule,
  port: TaskPort | undefined,
): Waiting[] {
  const task = trajectories[0]?.trajectory.record.task ?? null;
  if (task === null || port === undefined) return [];
  const solved = trajectories.filter(({ trajectory }) => trajectory.verification.success).length;
  const generation = seen[name] ?? 0;
  const passRate = solved / trajectories.length;
  const [order] = flywheelRound([{ id: name, passRate, generation }], rule);
  return carriedOut(order as FlywheelOrder, task, generation, port);
}

function carriedOut(
  order: FlywheelOrder,
  task: TaskReference,
  generation: number,
  port: TaskPort,
): Waiting[] {
  switch (order.kind) {
    case "keep":
    case "retire":
      return [];
    case "harden": {
      const harder = port.harder(task);
      return harder === null ? [] : [{ task: harder, generation: order.generation }];
    }
    case "branch":
      return Array.from({ length: order.copies }, (_, i) => ({
        task: port.sibling(task, i + 1),
        generation,
      }));
  }
}

function nameOf({ environment, split, seed }: TaskReference): string {
  return `${environment}/${split}/${seed}`;
}
