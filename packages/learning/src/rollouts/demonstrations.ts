/** Rollouts by a demonstrator: plain, with an instruction, or in other forms of the task. */
import { option, definePart } from "../composition/part-options.ts";
import type { PartContext, RolloutPart } from "../composition/part.ts";
import { passRateOf, type TaskStatistics } from "../states/task-statistics.ts";
import type { DemonstrationForm } from "./demonstration-form.ts";
import { planned } from "./plain-rollouts.ts";

type Single = RolloutPart<never, "single">;

/** `demos` of each form of every task, in the role of the form's name. */
export function formedDemos(forms: readonly DemonstrationForm[], mistakes?: number): Single {
  return definePart({ mistakes: option(mistakes, 0) }, (given) =>
    planned("demos", "single", {
      kind: "demos",
      size: forms.length,
      mistakes: given.mistakes,
      forms,
    }),
  );
}

/** `user-sim` with a demonstrator instead of the policy; the environment's simulated user answers. */
export function visitedDemos(form: DemonstrationForm, mistakes?: number): Single {
  return definePart({ mistakes: option(mistakes, 0) }, (given) => {
    const shown = formedDemos([form], given.mistakes);
    return { ...shown, part: "user-sim", around: [shown] };
  });
}

/** `demos` of every teacher in the state, each asked for its evidence afterwards. */
export function evidencedTeachers(): RolloutPart<"teacher", "group"> {
  return {
    slot: "rollout",
    part: "demos",
    start: "group",
    needs: ["teacher"],
    plan: ({ state }) => {
      const mistakes = state.teacher as readonly number[];
      return { kind: "demos", size: mistakes.length, mistakes, forms: ["evidenced"] };
    },
  };
}

/** `demos` of `size` training tasks similar to each task, but not of the task itself. */
export function neighborDemos(size: number, mistakes = 0): Single {
  return {
    slot: "rollout",
    part: "demos",
    start: "single",
    needs: [],
    plan: () => ({ kind: "demos", size, mistakes, neighbors: true }),
  };
}

/**
 * `demos` by the state's teachers of `size` training tasks similar to each task, after a rollout of the
 * policy at the task itself.
 */
export function casesAndNeighbors(size: number): RolloutPart<"teacher", "group"> {
  return {
    slot: "rollout",
    part: "demos",
    start: "group",
    needs: ["teacher"],
    plan: ({ state }) => ({
      kind: "demos",
      size,
      students: 1,
      neighbors: true,
      mistakes: state.teacher as readonly number[],
    }),
  };
}

/** Number of tasks after which the generators repeat. */
const DRAWN_TASKS = 32;

/** Key of a generator's record. */
const generatorName = (generator: number): string => `generator-${generator}`;

/**
 * `demos` by competing generators: each demonstration is made by one of them, drawn by the usefulness of its
 * earlier demonstrations. Generators differ in their error rate.
 */
export function competingDemos(
  generators: readonly number[],
  size: number,
): RolloutPart<"task-stats", "single"> {
  return {
    slot: "rollout",
    part: "demos",
    start: "single",
    needs: ["task-stats"],
    plan: (context) => {
      const drawn = Array.from({ length: size * DRAWN_TASKS }, () =>
        drawGenerator(generators.length, context),
      );
      return {
        kind: "demos",
        size,
        mistakes: drawn.map((generator) => generators[generator] ?? 0),
        names: drawn.map(generatorName),
      };
    },
  };
}

function drawGenerator(count: number, { state, step, random }: PartContext): number {
  const statistics = state["task-stats"] as TaskStatistics;
  const rates = Array.from(
    { length: count },
    (_, generator) => passRateOf(statistics, generatorName(generator), step).mean,
  );
  let left = random() * rates.reduce((sum, rate) => sum + rate, 0);
  const chosen = rates.findIndex((rate) => (left -= rate) < 0);
  return chosen < 0 ? count - 1 : chosen;
}

/** `demos`: the environment's demonstrator, with this share of random decisions. */
export function demos(mistakes?: number): RolloutPart<never, "single"> {
  return definePart({ mistakes: option(mistakes, 0) }, (given) =>
    planned("demos", "single", { kind: "demos", size: 1, ...given }),
  );
}

/** `demos` in several wordings: each demonstration gets the next sentence as an instruction. */
export function toldDemos(
  modes: readonly string[],
  { size, mistakes }: { readonly size?: number; readonly mistakes?: number } = {},
): RolloutPart<never, "single"> {
  return definePart(
    { toldDemosSize: option(size, 1), mistakes: option(mistakes, 0) },
    ({ toldDemosSize: size, mistakes }) =>
      planned("demos", "single", { kind: "demos", size, mistakes, modes }),
  );
}

/**
 * `demos` by the teachers in the state, one rollout by each at every task, after `students` rollouts of the
 * policy.
 */
export function teacherDemos({
  students,
  modes,
}: { readonly students?: number; readonly modes?: readonly string[] } = {}): RolloutPart<
  "teacher",
  "group"
> {
  return definePart({ students: option(students, 0) }, ({ students }) => ({
    slot: "rollout",
    part: "demos",
    start: "group",
    needs: ["teacher"],
    plan: ({ state }) => {
      const mistakes = state.teacher as readonly number[];
      return {
        kind: "demos",
        size: mistakes.length,
        mistakes,
        students,
        ...(modes === undefined ? {} : { modes }),
      };
    },
  }));
}
