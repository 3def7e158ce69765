/** Learning rates as functions of the optimizer step, counted from 0. */
import type { SchedulePart } from "../composition/stage.ts";

/** The learning rate of a step, counted from 0. */
export type LearningRate = (step: number) => number;

/** A constant rate. */
export function constantRate(rate: number): LearningRate {
  return () => rate;
}

/** Linear warm-up to `rate` over `steps` steps, then constant. */
export function warmedUpRate(rate: number, steps: number): LearningRate {
  return (step) => rate * Math.min(1, (step + 1) / Math.max(1, steps));
}

/** Linear warm-up, then cosine decay from `rate` to `floor` at `totalSteps`. */
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

/** Schedule part for a learning rate; the literature's table does not list it. */
export function rate(of: (steps: number) => LearningRate): SchedulePart {
  return {
    slot: "schedule",
    part: "learning-rate",
    at: (settings, { step, steps }) => ({ ...settings, learningRate: of(steps)(step) }),
  };
}
