/**
 * GRPO-RoC: oversamples, keeps failures as they fall and prefers successes with few tool errors; after a
 * start from demonstrations.
 *
 * Source: Shang et al. 2025, "rStar2-Agent", arXiv:2508.20722.
 * Differs from it: two stages (demonstrations, reinforcement) instead of its several lengths.
 * Why: trajectories of these environments are short: there are no lengths to go through.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage, tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const grpoRoc: CreateRecipe = recipe({
  name: "grpo-roc",
  literature: "GRPO-RoC",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "one length instead of several",
  ],
  schedule: ["sft-rl", "stages"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    tokenStage({
      name: "start",
      rollout: parts.demos(),
      losses: [parts.crossEntropy()],
      steps: startSteps,
      settings: { tasksPerStep: 32, learningRate },
    }),
    rewardStage({
      rollout: parts.group(2 * groupSize),
      filters: [parts.cleanCorrect(groupSize), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 6, learningRate },
    }),
  ],
});
