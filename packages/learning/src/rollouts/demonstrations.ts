/** Rollout parts in which a demonstrator acts: plainly, with an instruction, or in another form of the task. */
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
  /** Share of random decisions, in [0, 1]; a list gives one share to each demonstrator in turn. */
  readonly mistakes: number | readonly number[];
  /** Sentences that are added to the system message, one for each demonstration in turn. */
  readonly modes?: readonly string[];
  /** Number of rollouts of the policy on the same task, before the demonstrations; default 0. */
  readonly students?: number;
  /** The form of each demonstration in turn, which is also its role; default the task itself. */
  readonly forms?: readonly DemonstrationForm[];
  /** Whether to demonstrate other training tasks of the same level instead of the task; default no. */
  readonly neighbors?: boolean;
  /** Names of the demonstrators, which are also the roles; in turn over all tasks, like `mistakes`. */
  readonly names?: readonly string[];
  /** Combines the demonstrations into one more, in the role `retold`; default no. */
  readonly retells?: Retells;
};

/** Demonstrations of each task, after the policy's own rollouts if there are any. */
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

/** `demos`: one demonstration in each form of every task. The name of the form is the role. */
export function formedDemos(forms: readonly DemonstrationForm[], mistakes?: number): Single {
  return definePart({ mistakes: option(mistakes, 0) }, (given) =>
    rolloutPart(
      "demos",
      "single",
      demonstrationStrategy({ size: forms.length, mistakes: given.mistakes, forms }),
    ),
  );
}

/** `user-sim`: a demonstrator talks with the environment's simulated user in place of the policy. */
export function visitedDemos(form: DemonstrationForm, mistakes?: number): Single {
  return definePart({ mistakes: option(mistakes, 0) }, (given) => {
    const shown = formedDemos([form], given.mistakes);
    return { ...shown, part: "user-sim", around: [shown] };
  });
}

/** `demos` by every teacher in the state. Each is asked for its evidence afterwards. */
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

/** `demos` of `size` similar training tasks instead of the task itself. */
export function neighborDemos(size: number, mistakes?: number): Single {
  return definePart({ mistakes: option(mistakes, 0) }, (given) =>
    rolloutPart("demos", "single", demonstrationStrategy({ size, ...given, neighbors: true })),
  );
}

/**
 * `demos`: the policy rolls out the task, then the teachers in the state demonstrate `size` similar training tasks.
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

/** Number of tasks after which the sequence of drawn generators repeats. */
const DRAWN_TASKS = 32;

/** Key of a generator in the task statistics. */
const generatorName = (generator: number): string => `generator-${generator}`;

/**
 * `demos` by competing generators, which differ in their error rate. One of them makes each demonstration. It is drawn
 * with a probability proportional to the usefulness of its earlier demonstrations.
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

/** `demos`: one demonstration of each task. `mistakes` is the share of random decisions. */
export function demos(mistakes?: number): RolloutPart<never, "single"> {
  return definePart({ mistakes: option(mistakes, 0) }, (given) =>
    rolloutPart("demos", "single", demonstrationStrategy({ size: 1, ...given })),
  );
}

/** `demos` with instructions: each demonstration gets the next sentence of `modes`. */
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
 * `demos`: `students` rollouts of the policy on each task, then one demonstration by each teacher in the state.
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
