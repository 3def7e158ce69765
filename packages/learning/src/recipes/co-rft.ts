/**
 * CO-RFT: imitation first, then values over chunks of actions from stored runs, and the same on fresh
 * ones.
 *
 * Source: Huang et al. 2025, "CO-RFT: Efficient Fine-Tuning of Vision-Language-Action Models through
 * Chunked Offline Reinforcement Learning", arXiv:2508.02219.
 * Differs from it: a chunk is some turns, not steps of a motor.
 * Why: the environments act by calls.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage, tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const coRft: CreateRecipe = recipe({
  name: "co-rft",
  literature: "CO-RFT",
  differs: ["a chunk is some turns, not steps of a motor"],
  schedule: ["offline-online"],
  settings: {
    ...{ discount: 0.95, chunk: 2, strength: 2.5, stored: 4 },
    ...{ startSteps: 5, steps: 15, onlineSteps: 10, learningRate: 3e-3 },
  },
  stages: ({ discount, chunk, strength, stored, learningRate, ...run }) => {
    const learned = {
      reward: parts.outcome(),
      advantage: parts.temporalDifference({ discount, chunk, next: "logged" }),
      losses: [parts.tdBc({ strength })],
      state: { critic: parts.valueHead },
    } as const;
    return [
      tokenStage({
        name: "imitation",
        rollout: parts.log(stored),
        losses: [parts.crossEntropy()],
        steps: run.startSteps,
        settings: { tasksPerStep: 32, learningRate },
      }),
      rewardStage({
        ...learned,
        name: "offline",
        rollout: parts.log(stored),
        steps: run.steps,
        settings: { tasksPerStep: 32, learningRate },
      }),
      rewardStage({
        ...learned,
        name: "online",
        rollout: parts.single(),
        steps: run.onlineSteps,
        settings: { tasksPerStep: 48, learningRate },
      }),
    ];
  },
});
