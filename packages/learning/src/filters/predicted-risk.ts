/**
 * `risk-pred`: predicts the difficulty of a task from its features and the observed difficulty of other
 * tasks, so tasks can be chosen without running them. Bayesian linear regression: a mean and a variance in
 * closed form, stored as a plain value.
 *
 * Source: Wang et al. 2025, "Model Predictive Task Sampling" (MPTS), arXiv:2501.11039.
 * Differs from it: a linear model of features instead of a latent-variable network.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { TaskReference } from "@waggle/protocol";
import type { FilterPart } from "../composition/part.ts";
import { kept, type StatePart } from "../composition/state.ts";
import { meanOf, requireSameLength } from "../statistics.ts";
import { filterPart } from "./filter-part.ts";

/** Posterior of the regression weights. */
export type RiskModel = {
  /** `[F·F]` row-major precision of the weights. */
  readonly precision: readonly number[];
  /** `[F]` precision times mean. */
  readonly shift: readonly number[];
  /** Variance of one observed difficulty around its mean. */
  readonly noise: number;
};

/** The prior model of `features` weights. */
export function riskModel(
  features: number,
  options: { readonly priorVariance?: number; readonly noise?: number } = {},
): RiskModel {
  const { priorVariance = 1, noise = 0.1 } = options;
  return {
    precision: Array.from({ length: features * features }, (_, i) =>
      i % (features + 1) === 0 ? 1 / priorVariance : 0,
    ),
    shift: Array.from({ length: features }, () => 0),
    noise,
  };
}

/** Updates the model with the observed difficulty (1 − pass rate) of a task with these features. */
export function observeRisk(
  model: RiskModel,
  features: readonly number[],
  difficulty: number,
): RiskModel {
  const F = model.shift.length;
  requireSameLength("features", features.length, "the model's weights", F);
  return {
    ...model,
    precision: model.precision.map(
      (value, i) => value + (features[Math.floor(i / F)]! * features[i % F]!) / model.noise,
    ),
    shift: model.shift.map((value, i) => value + (features[i]! * difficulty) / model.noise),
  };
}

/** Predicted difficulties of tasks and their variances. */
export function predictRisk(
  model: RiskModel,
  features: readonly (readonly number[])[],
): { readonly mean: number; readonly variance: number }[] {
  const F = model.shift.length;
  const mean = solve(model.precision, model.shift);
  return features.map((row) => {
    requireSameLength("features", row.length, "the model's weights", F);
    const spread = solve(model.precision, row);
    return { mean: dot(row, mean), variance: dot(row, spread) };
  });
}

/**
 * `count` task indexes whose predicted difficulty is nearest to the target, with a bonus of `curiosity`
 * standard deviations for uncertain ones: |mean − target| − curiosity · √variance, smallest first.
 */
export function chooseByRisk(
  predictions: readonly { readonly mean: number; readonly variance: number }[],
  count: number,
  { target = 0.5, curiosity = 1 }: { readonly target?: number; readonly curiosity?: number } = {},
): number[] {
  const cost = predictions.map(
    ({ mean, variance }) => Math.abs(mean - target) - curiosity * Math.sqrt(variance),
  );
  return cost
    .map((_, i) => i)
    .sort((a, b) => cost[a]! - cost[b]! || a - b)
    .slice(0, count);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

/** Solves A·x = b for a symmetric positive definite A, by Cholesky decomposition. */
function solve(matrix: readonly number[], right: readonly number[]): number[] {
  const F = right.length;
  const lower = Array.from({ length: F * F }, () => 0);
  const x = [...right];
  for (let i = 0; i < F; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let sum = matrix[i * F + j]!;
      for (let k = 0; k < j; k += 1) sum -= lower[i * F + k]! * lower[j * F + k]!;
      lower[i * F + j] = i === j ? Math.sqrt(sum) : sum / lower[j * F + j]!;
    }
  }
  for (let i = 0; i < F; i += 1) {
    for (let k = 0; k < i; k += 1) x[i] = x[i]! - lower[i * F + k]! * x[k]!;
    x[i] = x[i]! / lower[i * F + i]!;
  }
  for (let i = F - 1; i >= 0; i -= 1) {
    for (let k = i + 1; k < F; k += 1) x[i] = x[i]! - lower[k * F + i]! * x[k]!;
    x[i] = x[i]! / lower[i * F + i]!;
  }
  return x;
}

/** Environments have 1 to 4 difficulty levels; seeds that are equal modulo 12 have the same level. */
const CLASSES = 12;

/** `[13]` a constant and a one-hot class of the seed. */
function seedFeatures({ seed }: TaskReference): number[] {
  return [1, ...Array.from({ length: CLASSES }, (_, i) => (seed % CLASSES === i ? 1 : 0))];
}

/** The state that holds the model of task difficulty. */
export function taskRisk(): StatePart<"task-stats"> {
  return kept("task-stats", () => riskModel(1 + CLASSES));
}

/** @param target - preferred difficulty (1 − pass rate). */
export function riskPrediction(
  target?: number,
  featuresOf: (task: TaskReference) => readonly number[] = seedFeatures,
): FilterPart<"task-stats"> {
  return definePart(
    { riskPredictionTarget: option(target, 0.5) },
    ({ riskPredictionTarget: target }) =>
      filterPart(
        "risk-pred",
        (groups, { state }) => {
          let model = state["task-stats"] as RiskModel;
          for (const { trajectories } of groups) {
            const task = trajectories[0]?.trajectory.record.task ?? null;
            if (task === null) continue;
            const passed = meanOf(trajectories.map(({ reward }) => reward.total));
            model = observeRisk(model, featuresOf(task), 1 - passed);
          }
          return { groups, dropped: new Map(), state: { "task-stats": model } };
        },
        {
          needs: ["task-stats"],
          chooseTasks: (candidates, count, { state }) => {
            const model = state["task-stats"] as RiskModel;
            const predictions = predictRisk(
              model,
              candidates.map((task) => featuresOf(task)),
            );
            return chooseByRisk(predictions, count, { target }).map(
              (i) => candidates[i] as TaskReference,
            );
          },
        },
      ),
  );
}
