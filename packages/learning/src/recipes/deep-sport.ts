/**
 * DeepSport: a bonus for using tools that counts only where the answer is right.
 *
 * Source: "DeepSport: A Multimodal Large Language Model for Comprehensive Sports Video Reasoning via
 * Agentic Reinforcement Learning" (S124).
 * Differs from it: token-mean over the minibatch; groups without a signal are rolled out again.
 * Why: a token mean keeps long trajectories from weighing less, and a nano model's groups are often all right or
 * all wrong.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

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
    groupReinforcement({
      groupSize,
      reward: parts.gate(parts.outcome(), parts.callBonus(bonus)),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
