/**
 * `flywheel`: tasks of the next steps come from the model's errors: solved ones are made harder, failed
 * ones get others of their kind around them.
 */
import type { TaskReference } from "@waggle/protocol";
import type { FilterPart, RewardedGroup, TaskPort } from "../composition/part.ts";
import { kept, type StatePart } from "../composition/state.ts";
import {
  type FlywheelOrder,
  type FlywheelRule,
  flywheelRound,
} from "../schedules/task-flywheel.ts";
import { filterPart } from "./filter-part.ts";

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
