/** Rollouts by a demonstrator: plain, with an instruction, or in other forms of the task. */
import { derivedSeed, seededRandom } from "@waggle/protocol";
import { option, definePart } from "../composition/part-options.ts";
import type { PartContext, RolloutPart } from "../composition/part.ts";
import type { RolloutStrategy } from "../composition/rollout-strategy.ts";
import { passRateOf, type TaskStatistics } from "../states/task-statistics.ts";
import type { DemonstrationForm } from "./demonstration-form.ts";
import type { Retells } from "./retelling.ts";
import { withRetold } from "./retold-group.ts";
import { many, rolloutPart } from "./rollout-part.ts";

type Single = RolloutPart<never, "single">;

type DemonstrationOptions = {
  /** Demonstrations of each task. */
  readonly size: number;
  /** The share of random decisions, or one for each demonstrator in turn. */
  readonly mistakes: number | readonly number[];
  /** Sentences of the system message, one for each demonstration in turn. */
  readonly modes?: readonly string[];
  /** Rollouts of the policy at the same task, before the demonstrations; default 0. */
  readonly students?: number;
  /** What each demonstration in turn is of, in the role of that name; default the task itself. */
  readonly forms?: readonly DemonstrationForm[];
  /** At training tasks of the same level instead of the task itself; default no. */
  readonly neighbors?: boolean;
  /** Who made each demonstration, in turn over all tasks as `mistakes` is, in that role. */
  readonly names?: readonly string[];
  /** What of the demonstrations is told as one more, in the role `retold`; default nothing. */
  readonly retells?: Retells;
};

/** Demonstrations of each task, after rollouts of the policy if there are any to compare. */
export function demonstrationStrategy(options: DemonstrationOptions): RolloutStrategy {
  const { size, mistakes, modes = [], students = 0, forms = [], names = [], retells } = options;
  const rates = typeof mistakes === "number" ? [mistakes] : mistakes;
  return {
    name: "demos",
    options,
    rollOut: (driver) =>
      driver.byTask(async (task, at) => {
        const own = await many(students, (i) => driver.rollOut(task, [at, i], { role: "student" }));
        const shown = await many(size, async (i) => {
          const maker = at * size + i;
          const form = forms[i % forms.length] ?? "task";
          const place = options.neighbors === true ? derivedSeed(driver.seed, at, i, 0x4e) : null;
          return driver.demonstrate(place === null ? task : driver.neighbor(task, place), {
            form,
            random: seededRandom(driver.seed, at, i),
            mistakes: rates[maker % rates.length] ?? 0,
            mode: modes[(at + i) % modes.length] ?? null,
            role: names[maker % names.length] ?? (form === "task" ? "policy" : form),
          });
        });
        return withRetold(driver, task, [...own, ...shown], retells);
      }),
  };
}

/** `demos` of each form of every task, in the role of the form's name. */
export function formedDemos(forms: readonly DemonstrationForm[], mistakes?: number): Single {
  return definePart({ mistakes: option(mistakes, 0) }, (given) =>
    rolloutPart(
      "demos",
      "single",
      demonstrationStrategy({ size: forms.length, mistakes: given.mistakes, forms }),
    ),
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
    strategy: ({ state }) => {
      const mistakes = state.teacher as readonly number[];
      return demonstrationStrategy({ size: mistakes.length, mistakes, forms: ["evidenced"] });
    },
  };
}

/** `demos` of `size` training tasks similar to each task, but not of the task itself. */
export function neighborDemos(size: number, mistakes?: number): Single {
  return definePart({ mistakes: option(mistakes, 0) }, (given) =>
    rolloutPart("demos", "single", demonstrationStrategy({ size, ...given, neighbors: true })),
  );
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
    strategy: ({ state }) =>
      demonstrationStrategy({
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
    strategy: (context) => {
      const drawn = Array.from({ length: size * DRAWN_TASKS }, () =>
        drawGenerator(generators.length, context),
      );
      return demonstrationStrategy({
        size,
        mistakes: drawn.map((generator) => generators[generator] ?? 0),
        names: drawn.map(generatorName),
      });
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
    rolloutPart("demos", "single", demonstrationStrategy({ size: 1, ...given })),
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
      rolloutPart("demos", "single", demonstrationStrategy({ size, mistakes, modes })),
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
    strategy: ({ state }) => {
      const mistakes = state.teacher as readonly number[];
      return demonstrationStrategy({
        size: mistakes.length,
        mistakes,
        students,
        ...(modes === undefined ? {} : { modes }),
      });
    },
  }));
}
