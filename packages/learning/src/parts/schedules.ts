/** Schedule parts: what changes from step to step within a stage. */
import type { SchedulePart } from "../composition/stage.ts";
import { evenHorizons, maxTurnsAt } from "../schedules/horizon-curriculum.ts";
import { type LearningRate } from "../schedules/learning-rate.ts";
import { annealedAt, type Curve } from "../schedules/progress-curve.ts";

/** `horizon-curr`: few turns at first, more later. */
export function horizonCurriculum(first: number, last: number, stages = 3): SchedulePart {
  return {
    slot: "schedule",
    part: "horizon-curr",
    at: (settings, { step, steps }) => ({
      ...settings,
      maxTurns: maxTurnsAt(evenHorizons(first, last, stages, steps), step),
    }),
  };
}

/** `diff-curr`: easy tasks at first, all of them from `until` of the stage on. */
export function difficultyCurriculum(until = 0.5): SchedulePart {
  return {
    slot: "schedule",
    part: "diff-curr",
    at: (settings, { step, steps }) => ({
      ...settings,
      difficulty: Math.min(1, step / Math.max(1, until * steps)),
    }),
  };
}

/** `weight-anneal`: weights of reward components move from one number to another over the stage. */
export function weightAnneal(
  weights: { readonly [component: string]: readonly [from: number, to: number] },
  curve: Curve = "linear",
): SchedulePart {
  return {
    slot: "schedule",
    part: "weight-anneal",
    at: (settings, { step, steps }) => ({
      ...settings,
      rewardWeights: {
        ...settings.rewardWeights,
        ...Object.fromEntries(
          Object.entries(weights).map(([name, [from, to]]) => [
            name,
            annealedAt({ from, to, begin: 0, end: Math.max(1, steps - 1), curve }, step),
          ]),
        ),
      },
    }),
  };
}

/** A learning rate by step; not a part of the literature's table. */
export function rate(of: (steps: number) => LearningRate): SchedulePart {
  return {
    slot: "schedule",
    part: "learning-rate",
    at: (settings, { step, steps }) => ({ ...settings, learningRate: of(steps)(step) }),
  };
}
