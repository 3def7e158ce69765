/** Rollouts in which a demonstrator acts: plain, told something first, or in other forms of the task. */
import { option, definePart } from "../composition/part-options.ts";
import type { PartContext, RolloutPart } from "../composition/part.ts";
import { passRateOf, type TaskStatistics } from "../states/task-statistics.ts";
import type { DemonstrationForm } from "./demonstration-form.ts";
import { planned } from "./plain-rollouts.ts";

type Single = RolloutPart<never, "single">;

/** `demos` of each form of every task, in the role of the form's name. */
export function formedDemos(forms: readonly DemonstrationForm[], mistakes = 0): Single {
  return {
    slot: "rollout",
    part: "demos",
    start: "single",
    needs: [],
    plan: () => ({ kind: "demos", size: forms.length, mistakes, forms }),
  };
}

/** `user-sim` with a demonstrator in the policy's place: the environment's user answers it. */
export function visitedDemos(form: DemonstrationForm, mistakes?: number): Single {
  return definePart({ mistakes: option(mistakes, 0) }, (given) => {
    const shown = formedDemos([form], given.mistakes);
    return { ...shown, part: "user-sim", around: [shown] };
  });
}

/** `demos` of every teacher that the state names, each asked afterwards for its evidence. */
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

/** `demos` at `size` training tasks like each one, never at the task itself. */
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
 * `demos` of the state's teachers at `size` training tasks like each one, after a rollout of the policy
 * at the task itself.
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

/** Tasks after which the same generators come again. */
const DRAWN_TASKS = 32;

/** What a generator's record is kept under. */
const generatorName = (generator: number): string => `generator-${generator}`;

/**
 * `demos` of generators that compete: each demonstration is made by one of them, drawn by how much of what
 * it made was of use. A generator is how often it errs.
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

/** `demos`: the environment's demonstrator; `mistakes` is the share of its decisions made at random. */
export function demos(mistakes?: number): RolloutPart<never, "single"> {
  return definePart({ mistakes: option(mistakes, 0) }, (given) =>
    planned("demos", "single", { kind: "demos", size: 1, ...given }),
  );
}

/** `demos` in so many wordings: each demonstration is told another sentence, in turn. */
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
 * `demos` of the teachers that the state names, one rollout of each at every task, after `students`
 * rollouts of the policy.
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
