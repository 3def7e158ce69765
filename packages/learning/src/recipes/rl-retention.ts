/**
 * RL with retention: terms against forgetting beside any reinforcement: a pull to where it started,
 * and old trajectories rehearsed.
 *
 * Source: "Fine-tuning Reinforcement Learning Models is Secretly a Forgetting Mitigation Problem"
 * (S161).
 * Differs from it: rehearsed trajectories are the policy's own, weighed by truncated importance.
 * Why: no other data set than its own past is there for a policy in a page.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const rlRetention: CreateRecipe = recipe({
  name: "rl-retention",
  literature: "RL with retention",
  differs: [
    "token-mean over the minibatch",
    "rehearsed trajectories are the policy's own, weighed by truncated importance",
  ],
  schedule: ["one"],
  settings: {
    rehearsals: 24,
    klCoefficient: 0.05,
    decay: 0.98,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ rehearsals, klCoefficient, decay, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      filters: [parts.rehearsed(rehearsals)],
      reward: parts.outcome(),
      advantage: parts.movingBaselineAdvantage(),
      losses: [parts.truncatedImportance(parts.pgClip(epsilon))],
      kl: { in: "loss", coefficient: klCoefficient, estimator: "k2" },
      state: {
        baseline: parts.baseline({ decay, prior: 0.5 }),
        ref: parts.reference,
        "rest-buffer": parts.leftovers(),
      },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});
