/**
 * MPTS: the risk of a task is predicted, and tasks are chosen by it before anybody rollouts them.
 *
 * Source: "Model Predictive Task Sampling for Efficient and Robust Adaptation" (S232).
 * Differs from it: a Bayesian linear model of the level in place of a neural one; a moving baseline,
 * as the abstract names no estimator.
 * Why: a linear model is fitted in closed form from the first step on.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const mpts: CreateRecipe = recipe({
  name: "mpts",
  literature: "MPTS",
  differs: [
    "token-mean over the minibatch",
    "a Bayesian linear model of the level in place of a neural one",
    "a moving baseline, as the abstract names no estimator",
  ],
  schedule: ["one"],
  settings: { target: 0.5, decay: 0.98, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ target, decay, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      filters: [parts.riskPrediction(target)],
      reward: parts.outcome(),
      advantage: parts.movingBaselineAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { baseline: parts.baseline({ decay, prior: 0.5 }), "task-stats": parts.taskRisk() },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});
