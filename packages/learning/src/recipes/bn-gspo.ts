/**
 * BN-GSPO: one ratio a sequence, and advantages brought to mean 0 and deviation 1 over the batch.
 *
 * Source: "SenseNova-MARS" (S301); the ratio is Zheng et al. 2025, "GSPO", arXiv:2507.18071.
 * Differs from it: token-mean over the minibatch; groups without a signal are rolled out again.
 * Why: a token mean keeps long trajectories from weighing less, and a nano model's groups are often all right or
 * all wrong.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const bnGspo: CreateRecipe = recipe({
  name: "bn-gspo",
  literature: "BN-GSPO",
  differs: ["token-mean over the minibatch", "groups without a signal are rolled out again"],
  schedule: ["one"],
  settings: { groupSize: 8, lower: 3e-4, upper: 4e-4, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, lower, upper, steps, learningRate }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.batchNormalized(parts.groupAdvantage()),
      losses: [parts.sequenceRatio(lower, upper)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
