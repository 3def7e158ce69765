/**
 * Polar: plain GRPO on trajectories that stream in from a policy that lags behind.
 *
 * Source: "Polar: Agentic RL on Any Harness at Scale" (S266).
 * Differs from it: the lag is a fixed number of updates, corrected by truncated weights.
 * Why: a fixed lag can be repeated from a seed.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const polar: CreateRecipe = recipe({
  name: "polar",
  literature: "Polar GRPO",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "a fixed lag, corrected by truncated weights",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, lag: 1, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, lag, steps, learningRate }) => [
    rewardStage({
      rollout: parts.asynchronous(parts.group(groupSize)),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.truncatedImportance(parts.pgClip(epsilon))],
      steps,
      settings: { tasksPerStep: 12, learningRate, lag },
    }),
  ],
});
