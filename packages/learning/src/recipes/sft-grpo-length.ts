/**
 * SFT then GRPO for length: the reward shortens what was learned from demonstrations, it does not lift
 * accuracy.
 *
 * Source: "A Practical Two-Stage Recipe for Mathematical LLMs: Maximizing Accuracy with SFT and
 * Efficiency with Reinforcement Learning" (S006).
 * Differs from it: token-mean over the minibatch; groups without a signal are rolled out again.
 * Why: a token mean keeps long trajectories from weighing less, and a nano model's groups are often all right or
 * all wrong.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const sftGrpoLength: CreateRecipe = recipe({
  name: "sft-grpo-length",
  literature: "SFT then GRPO for length",
  differs: ["token-mean over the minibatch", "groups without a signal are rolled out again"],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    limit: 128,
    buffer: 112,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, limit, buffer }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.outcome(), { standard: 1 }],
        [parts.overlong(limit, buffer), { standard: 1 }],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
