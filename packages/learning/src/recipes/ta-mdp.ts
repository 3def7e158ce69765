/**
 * TA-MDP components: outcome, form and running calls are normalised apart and then summed.
 *
 * Source: "Rethinking Reinforcement Fine-Tuning in LVLM: Convergence, Reward Decomposition, and
 * Generalization" (S285).
 * Differs from it: token-mean over the minibatch.
 * Why: a token mean keeps long trajectories from weighing less.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const taMdp: CreateRecipe = recipe({
  name: "ta-mdp",
  literature: "TA-MDP components",
  differs: ["token-mean over the minibatch"],
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    formatWeight: 0.2,
    execWeight: 0.2,
  },
  stages: ({ groupSize, epsilon, steps, learningRate, formatWeight, execWeight }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      reward: parts.weighted([
        [parts.outcome(), { standard: 1 }],
        [parts.format(), formatWeight],
        [parts.exec(), execWeight],
      ]),
      advantage: parts.splitComponents({ outcome: 1, format: formatWeight, exec: execWeight }),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
