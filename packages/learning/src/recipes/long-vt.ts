/**
 * LongVT: demonstrations, reinforcement, then tuning on the successes of the second stage's policy.
 *
 * Source: "LongVT: Incentivizing "Thinking with Long Videos" via Native Tool Calling" (S216).
 * Differs from it: token-mean over the minibatch; groups without a signal are rolled out again.
 * Why: a token mean keeps long trajectories from weighing less, and a nano model's groups are often all right or
 * all wrong.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const longVt: CreateRecipe = recipe({
  name: "long-vt",
  literature: "LongVT",
  differs: ["token-mean over the minibatch", "groups without a signal are rolled out again"],
  schedule: ["sft-rl-rft"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    tuneSteps: 4,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, tuneSteps }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.success()],
    }),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
    tokenStage({
      name: "tune",
      rollout: parts.group(groupSize),
      filters: [parts.success()],
      losses: [parts.crossEntropy()],
      steps: tuneSteps,
      settings: { tasksPerStep: 12, learningRate: learningRate / 3 },
    }),
  ],
});
