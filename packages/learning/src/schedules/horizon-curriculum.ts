/**
 * `horizon-curr`: the turn limit starts short and grows by a schedule, so that a policy learns short tasks
 * first.
 *
 * Source: Xi et al. 2025, "AgentGym-RL" (ScalingInter-RL), arXiv:2509.08755.
 */
import { option, definePart } from "../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import type { SchedulePart } from "../composition/stage.ts";

/** The turn limit from this step on. */
export type Horizon = { readonly fromStep: number; readonly maxTurns: number };

/**
 * The turn limit at a step.
 *
 * @param horizons - the first starts at step 0; steps ascend and turns do not decrease.
 * @throws WaggleError `INVALID_ARGUMENT` for other horizons.
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
      `horizons must start at step 0 and must not decrease, got ${JSON.stringify(horizons).slice(0, 200)}`,
    );
  }
  const reached = horizons.findLast(({ fromStep }) => fromStep <= step);
  return (reached ?? first).maxTurns;
}

/** Horizons from `first` to `last` turns at equal distances; `last` is reached at `steps`. */
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

/** `horizon-curr`: a turn limit that grows during the stage. */
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

/** `diff-curr`: easy tasks first, and all tasks after the share `until` of the stage. */
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
