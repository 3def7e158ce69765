/**
 * `flywheel`: each round keeps hard tasks, makes solved tasks harder, and adds variants of failed tasks.
 * Decides which new tasks are requested; a port provides them.
 *
 * Source: AgenticQwen (dual data flywheels), AgentSynth (difficulty by steps).
 */
import type { TaskReference } from "@waggle/protocol";
import type { FilterPart, RewardedGroup, TaskPort } from "../composition/part.ts";
import { kept, type StatePart } from "../composition/state.ts";
import { taskName } from "../composition/task-names.ts";
import { filterPart } from "../filters/filter-part.ts";
import { requireInside } from "../statistics.ts";

export type FlywheelTask = {
  readonly id: string;
  readonly passRate: number;
  /** Number of times that the task was made harder. */
  readonly generation: number;
};

export type FlywheelOrder =
  /** Keep the task. */
  | { readonly kind: "keep"; readonly id: string }
  /** Request a harder version. */
  | { readonly kind: "harden"; readonly id: string; readonly generation: number }
  /** Request several variants around the error. */
  | { readonly kind: "branch"; readonly id: string; readonly copies: number }
  /** Drop it: solved at the highest level, or failed for too long. */
  | { readonly kind: "retire"; readonly id: string };

export type FlywheelRule = {
  /** Pass rates at which a task counts as solved and as failed. Defaults 0.8 and 0.2. */
  readonly solvedFrom?: number;
  readonly failedTo?: number;
  readonly mostGenerations: number;
  /** Number of variants of a failed task. Default 2. */
  readonly copies?: number;
};

/** One order per task, in the same order. */
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
    // Drop a failed task that was made harder; split an original one into variants.
    return isLast && passRate === 0 ? { kind: "retire", id } : { kind: "branch", id, copies };
  });
}

/** Tasks that wait for the next steps, each with how often it was made harder. */
type Waiting = { readonly task: TaskReference; readonly generation: number };

type Wheel = {
  readonly waiting: readonly Waiting[];
  readonly seen: { readonly [task: string]: number };
};

/** The empty queue. */
export const taskWheel: StatePart<"task-stats"> = kept("task-stats", (): Wheel => ({
  waiting: [],
  seen: {},
}));

/** Maximum number of waiting tasks; the oldest are dropped. */
const MOST = 256;

/**
 * `student-fail`: tasks without a success and their variants return. The next step takes the waiting tasks,
 * filled up with new ones.
 */
export function failuresReturn(
  rule: FlywheelRule = { mostGenerations: 2 },
): FilterPart<"task-stats"> {
  return filterPart(
    "student-fail",
    (groups, { state, ports: { tasks } }) => {
      const wheel = state["task-stats"] as Wheel;
      const generated = groups.flatMap((group) => generatedFrom(group, wheel, rule, tasks));
      const names = new Set(groups.map(({ task }) => task));
      const waiting = [
        ...wheel.waiting.filter(({ task }) => !names.has(taskName(task))),
        ...generated,
      ];
      const newest = waiting.slice(-MOST);
      return {
        groups,
        dropped: new Map(),
        state: {
          "task-stats": {
            waiting: newest,
            seen: Object.fromEntries(
              newest.map(({ task, generation }) => [taskName(task), generation]),
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

/** The tasks that follow from the result of one. */
function generatedFrom(
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
