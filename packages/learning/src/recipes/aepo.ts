/**
 * AEPO: a branching budget that forks less in a row, advantages that grow with uncertainty, and clipped
 * tokens that keep a gradient where the policy was unsure.
 *
 * Source: Dong et al. 2025, "Agentic Entropy-Balanced Policy Optimization", arXiv:2510.14545.
 * Differs from it: the share of whole rollouts is a setting, not measured before each task.
 * Why: measuring the share first would spend tokens that the comparison at equal budget counts.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const aepo: CreateRecipe = recipe({
  name: "aepo",
  literature: "AEPO",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the share of whole rollouts is a setting",
  ],
  schedule: ["one"],
  settings: {
    groupSize: 8,
    whole: 4,
    alpha: 0.2,
    entropyThreshold: 0.5,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ groupSize, whole, alpha, entropyThreshold, steps, learningRate }) => [
    rewardStage({
      rollout: parts.branchEntropy(groupSize, whole),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.entropyWeighted(parts.groupAdvantage(), { form: "scaled", alpha }),
      losses: [parts.stopGradientClip(entropyThreshold)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
