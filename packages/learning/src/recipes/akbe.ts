/**
 * AKBE: every task is tried with tools and without; what the pair shows labels the need for tools and adds
 * a supervised signal instead of a penalty.
 *
 * Source: "Efficient Agentic Reinforcement Learning with On-Policy Intrinsic Knowledge Boundary
 * Enhancement" (S134).
 * Differs from it: each arm is a group of its own and learns too; the signal is cross-entropy of successes that called where tools are needed, and did not where they are not.
 * Why: both arms are rolled out anyway, and a success of either shows what was right there.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const akbe: CreateRecipe = recipe({
  name: "akbe",
  literature: "AKBE",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "each arm is a group of its own and learns too",
    "the signal is cross-entropy of successes that called where tools are needed, and did not where they are not",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, need: 0.1 },
  stages: ({ groupSize, epsilon, steps, learningRate, need }) => [
    rewardStage({
      rollout: parts.pairedTools(groupSize),
      filters: [parts.toolNeedLabels(), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon), { loss: parts.auxiliaryToolNeed(), weight: need }],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
