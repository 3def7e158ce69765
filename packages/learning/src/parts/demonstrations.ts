/** `demos` that are chosen or made otherwise: other forms of a task, its neighbours, competing teachers. */
import { dial, fixed, made } from "../composition/making.ts";
import type { FilterPart, PartContext, RolloutPart } from "../composition/part.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { curatedWithin } from "../filters/curated.ts";
import { selectBy } from "../filters/selection.ts";
import { agreedLabel } from "../filters/vote.ts";
import type { DemonstrationForm } from "../rollouts/demonstration-form.ts";
import { observeTask, passRateOf, type TaskStatistics } from "../states/task-statistics.ts";
import { filterPart, keepTrajectories, keepGroups } from "./filter-part.ts";

type Single = RolloutPart<never, "single">;

/** `demos` of each form of every task, in the role of the form's name. */
export function formedDemos(forms: readonly DemonstrationForm[], mistakes = 0): Single {
  return {
    ...{ slot: "rollout", part: "demos", start: "single", needs: [] },
    plan: () => ({ kind: "demos", size: forms.length, mistakes, forms }),
  };
}

/** `user-sim` with a demonstrator in the policy's place: the environment's user answers it. */
export function visitedDemos(form: DemonstrationForm, mistakes?: number): Single {
  return made({ mistakes: dial(mistakes, 0) }, (given) => {
    const shown = formedDemos([form], given.mistakes);
    return { ...shown, part: "user-sim", around: [shown] };
  });
}

/** `demos` of every teacher that the state names, each asked afterwards for its evidence. */
export function evidencedTeachers(): RolloutPart<"teacher", "group"> {
  return {
    ...{ slot: "rollout", part: "demos", start: "group", needs: ["teacher"] },
    plan: ({ state }) => {
      const mistakes = state.teacher as readonly number[];
      return { kind: "demos", size: mistakes.length, mistakes, forms: ["evidenced"] };
    },
  };
}

/** `demos` at `size` training tasks like each one, never at the task itself. */
export function neighborDemos(size: number, mistakes = 0): Single {
  return {
    ...{ slot: "rollout", part: "demos", start: "single", needs: [] },
    plan: () => ({ kind: "demos", size, mistakes, neighbors: true }),
  };
}

/**
 * `demos` of the state's teachers at `size` training tasks like each one, after a rollout of the policy
 * at the task itself.
 */
export function casesAndNeighbors(size: number): RolloutPart<"teacher", "group"> {
  return {
    ...{ slot: "rollout", part: "demos", start: "group", needs: ["teacher"] },
    plan: ({ state }) => ({
      ...{ kind: "demos", size, students: 1, neighbors: true },
      mistakes: state.teacher as readonly number[],
    }),
  };
}

/**
 * `student-fail` where nobody knows what is right: what is shown of tasks like those that the policy was
 * unsure of. How sure: the geometric mean of the probabilities of what it said, in [0, 1].
 */
export function unsure(below: number): FilterPart {
  return filterPart("student-fail", (groups) => {
    const kept = keepGroups(groups, (all) =>
      selectBy(all, ({ trajectories }) =>
        trajectories.some(
          ({ trajectory }) => trajectory.role === "student" && confidence(trajectory) < below,
        )
          ? null
          : "student-sure",
      ),
    );
    const shown = keepTrajectories(kept.groups, (all) =>
      selectBy(all, ({ trajectory }) => (trajectory.role === "student" ? "students-own" : null)),
    );
    return { ...shown, dropped: new Map([...kept.dropped, ...shown.dropped]) };
  });
}

/** Geometric mean of the probabilities of the sampled tokens; 1 where nothing was sampled. */
function confidence({ samples }: JudgedTrajectory): number {
  const logProbs = samples.flatMap(({ lossMask, behaviorLogProbs }) =>
    behaviorLogProbs.filter((_, t) => lossMask[t] === true),
  );
  return Math.exp(logProbs.reduce((sum, value) => sum + value, 0) / Math.max(1, logProbs.length));
}

/** `vote`: of the rollouts at a task, those that say what enough of them say. */
export function vote(
  labelOf: (trajectory: JudgedTrajectory) => string | null,
  leastShare: number = 2 / 3,
  leastVotes = 2,
): FilterPart {
  return filterPart("vote", (groups) => {
    const agreed = new Map(
      groups.map(({ task, trajectories }) => [
        task,
        agreedLabel(
          trajectories.map(({ trajectory }) => labelOf(trajectory)),
          leastShare,
          leastVotes,
        ).label,
      ]),
    );
    const taskOf = new Map(
      groups.flatMap(({ task, trajectories }) =>
        trajectories.map(({ trajectory }) => [trajectory.id, task]),
      ),
    );
    return keepTrajectories(groups, (all) =>
      selectBy(all, ({ trajectory }) => {
        const label = agreed.get(taskOf.get(trajectory.id) ?? "") ?? null;
        if (label === null) return "no-agreement";
        return labelOf(trajectory) === label ? null : "outvoted";
      }),
    );
  });
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
    ...{ slot: "rollout", part: "demos", start: "single", needs: ["task-stats"] },
    plan: (context) => {
      const drawn = Array.from({ length: size * DRAWN_TASKS }, () =>
        drawGenerator(generators.length, context),
      );
      return {
        ...{ kind: "demos", size },
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

/** `curated` by quality and coverage, and the record of who made what was chosen. */
export function curatedOfGenerators(budget: number): FilterPart<"task-stats"> {
  return made({ budget: fixed(budget) }, () => chosenOfGenerators(budget));
}

function chosenOfGenerators(budget: number): FilterPart<"task-stats"> {
  return filterPart(
    "curated",
    (groups, { state, step }) => {
      const offered = groups.flatMap(({ trajectories }) => trajectories);
      const kept = keepTrajectories(groups, (all) =>
        curatedWithin(
          all.map(({ trajectory, score }) => ({
            quality: Math.min(1, Math.max(0, score.reward)),
            tags: [`turns-${trajectory.turns.length}`],
          })),
          budget,
        ),
      );
      const chosen = new Set(
        kept.groups.flatMap(({ trajectories }) =>
          trajectories.map(({ trajectory }) => trajectory.id),
        ),
      );
      const names = [...new Set(offered.map(({ trajectory }) => trajectory.role))];
      const statistics = names.reduce(
        (all, name) =>
          observeTask(
            all,
            name,
            offered
              .filter(({ trajectory }) => trajectory.role === name)
              .map(({ trajectory, score }) => (chosen.has(trajectory.id) ? score.reward : 0)),
            step,
          ),
        state["task-stats"] as TaskStatistics,
      );
      return { ...kept, state: { "task-stats": statistics } };
    },
    { needs: ["task-stats"] },
  );
}
