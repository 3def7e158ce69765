/**
 * meow-tea-taro: one budget of steps, shared between imitation and reinforcement, under three
 * estimators and with sparse and dense pay.
 *
 * Source: "A Practitioner's Guide to Multi-turn Agentic Reinforcement Learning" (S007).
 * Differs from it: the estimators take turns within a run, where the paper compares runs.
 * Why: one run then meets each estimator at the same policy; comparing runs is what studies are for.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import type { RewardPart } from "../composition/part.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

function sparseAndDense(dense: number): RewardPart {
  return parts.weighted([
    [parts.outcome(), 1 - dense],
    [parts.progress(), dense],
  ]);
}

export const meowTeaTaro: CreateRecipe = recipe({
  name: "meow-tea-taro",
  literature: "meow-tea-taro sweep",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the estimators take turns within a run, where the paper compares runs",
  ],
  schedule: ["sft-rl", "budget-split"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    lambda: 1,
    imitationShare: 0.1,
    dense: 0.5,
    budget: 30,
    learningRate: 3e-3,
  },
  stages: ({ groupSize, epsilon, lambda, imitationShare, dense, budget, learningRate }) => [
    demonstrationStart({ steps: Math.round(imitationShare * budget), learningRate }),
    groupReinforcement({
      groupSize,
      name: "group",
      reward: sparseAndDense(dense),
      loss: parts.pgClip(epsilon),
      steps: Math.round(((1 - imitationShare) * budget) / 3),
      learningRate,
    }),
    rewardStage({
      name: "leave-one-out",
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: sparseAndDense(dense),
      advantage: parts.leaveOneOut(),
      losses: [parts.pgClip(epsilon)],
      steps: Math.round(((1 - imitationShare) * budget) / 3),
      settings: { tasksPerStep: 12, learningRate },
    }),
    rewardStage({
      name: "critic",
      rollout: parts.single(),
      reward: sparseAndDense(dense),
      advantage: parts.gae({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead },
      steps: Math.round(((1 - imitationShare) * budget) / 3),
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});
