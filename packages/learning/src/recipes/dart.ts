/**
 * DART: workers with older policies and truncated weights, stored successes, long trajectories and unsure
 * turns first.
 *
 * Source: "Efficient Multi-turn RL for GUI Agents via Decoupled Training and Adaptive Data Curation"
 * (S135).
 * Differs from it: the lag is a fixed number of updates; pass rates choose tasks of a pool, not how
 * many trajectories each gets.
 * Why: a fixed lag can be repeated from a seed, and groups of one size have baselines that are equally sure.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const dart: CreateRecipe = recipe({
  name: "dart",
  literature: "DART",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the lag is a fixed number of updates",
    "pass rates choose tasks of a pool, not how many trajectories each gets",
  ],
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    lag: 1,
    pool: 96,
    quantile: 0.2,
  },
  stages: ({ groupSize, epsilon, steps, learningRate, lag, pool, quantile }) => [
    rewardStage({
      rollout: parts.asynchronous(parts.group(groupSize)),
      filters: [
        parts.passRateBand(),
        parts.storedSuccess(),
        parts.mixedGroup(),
        parts.longTail(),
        parts.entropySteps(quantile),
      ],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.truncatedImportance(parts.pgClip(epsilon))],
      state: { "good-buffer": parts.goodBuffer(), "task-stats": parts.taskStats() },
      steps,
      settings: { tasksPerStep: 12, learningRate, lag, taskPool: pool },
    }),
  ],
});
