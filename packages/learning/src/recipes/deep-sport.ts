/**
 * DeepSport: a bonus for using tools that counts only where the answer is right.
 *
 * Source: "DeepSport: A Multimodal Large Language Model for Comprehensive Sports Video Reasoning via
 * Agentic Reinforcement Learning" (S124).
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const deepSport: CreateRecipe = recipe({
  name: "deep-sport",
  literature: "DeepSport",
  differs: ["token-mean over the minibatch", "groups without a signal are rolled out again"],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    bonus: 0.2,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, bonus }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.gate(parts.outcome(), parts.callBonus(bonus)),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
