/** Learning rates as functions of the optimizer step, counted from 0. */
import type { SchedulePart } from "../composition/stage.ts";

export type LearningRate = (step: number) => number;

/** The same rate at every step. */
export function constantRate(rate: number): LearningRate {
  return () => rate;
}

/** Rises linearly to `rate` over `steps` steps, the first one included, then stays. */
export function warmedUpRate(rate: number, steps: number): LearningRate {
  return (step) => rate * Math.min(1, (step + 1) / Math.max(1, steps));
}

/** Warm-up, then half a cosine from `rate` down to `floor` at `totalSteps`. */
export function cosineRate(options: {
  readonly rate: number;
  readonly warmUpSteps: number;
  readonly totalSteps: number;
  readonly floor?: number;
}): LearningRate {
  const { rate, warmUpSteps, totalSteps, floor = 0 } = options;
  return (step) => {
    if (step < warmUpSteps) return (rate * (step + 1)) / warmUpSteps;
    const progress = Math.min(1, (step - warmUpSteps) / Math.max(1, totalSteps - warmUpSteps));
    return floor + (rate - floor) * 0.5 * (1 + Math.cos(Math.PI * progress));
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
