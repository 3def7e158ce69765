/**
 * `horizon-curr`: the turn limit is short at first and widened by schedule, so that a policy learns to
 * act before it learns to act long.
 *
 * Source: Xi et al. 2025, "AgentGym-RL" (ScalingInter-RL), arXiv:2509.08755.
 */
import { option, definePart } from "../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import type { SchedulePart } from "../composition/stage.ts";

/** From this step on, so many turns. */
export type Horizon = { readonly fromStep: number; readonly maxTurns: number };

/**
 * Most turns of a trajectory at a step.
 *
 * @param horizons - the first from step 0; steps ascend, turns do not shrink.
 * @throws WaggleError `INVALID_ARGUMENT` for horizons that do not.
 */
export function maxTurnsAt(horizons: readonly Horizon[], step: number): number {
  const [first] = horizons;
  const isOrdered = horizons.every(({ fromStep, maxTurns }, i) => {
    const before = horizons[i - 1];
    return before === undefined || (fromStep > before.fromStep && maxTurns >= before.maxTurns);
  });
  if (first === undefined || first.fromStep !== 0 || !isOrdered) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `horizons must begin at step 0 and widen with the steps, got ${JSON.stringify(horizons).slice(0, 200)}; order them`,
    );
  }
  const reached = horizons.findLast(({ fromStep }) => fromStep <= step);
  return (reached ?? first).maxTurns;
}

/** Horizons in equal steps from `first` turns to `last`, the last one reached at `steps`. */
export function evenHorizons(
  first: number,
  last: number,
  stages: number,
  steps: number,
): Horizon[] {
  if (stages < 2) return [{ fromStep: 0, maxTurns: last }];
  return Array.from({ length: stages }, (_, i) => ({
    fromStep: Math.round((steps * i) / (stages - 1)),
    maxTurns: Math.round(first + ((last - first) * i) / (stages - 1)),
  }));
}

/** `horizon-curr`: few turns at first, more later. */
export function horizonCurriculum(first: number, last: number, stages?: number): SchedulePart {
  return definePart(
    { horizonCurriculumStages: option(stages, 3) },
    ({ horizonCurriculumStages: stages }) => ({
      slot: "schedule",
      part: "horizon-curr",
      at: (settings, { step, steps }) => ({
        ...settings,
        maxTurns: maxTurnsAt(evenHorizons(first, last, stages, steps), step),
      }),
    }),
  );
}

/** `diff-curr`: easy tasks at first, all of them from `until` of the stage on. */
export function difficultyCurriculum(until?: number): SchedulePart {
  return definePart(
    { difficultyCurriculumUntil: option(until, 0.5) },
    ({ difficultyCurriculumUntil: until }) => ({
      slot: "schedule",
      part: "diff-curr",
      at: (settings, { step, steps }) => ({
        ...settings,
        difficulty: Math.min(1, step / Math.max(1, until * steps)),
      }),
    }),
  );
}
