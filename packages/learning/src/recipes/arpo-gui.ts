/**
 * ARPO (GUI): a stored success joins a group that failed whole, and tasks are chosen by how often they
 * succeed.
 *
 * Source: "ARPO:End-to-End Policy Optimization for GUI Agents with Experience Replay",
 * arXiv:2505.16282.
 * Differs from it: tasks come from a pool.
 * Why: a stored success must find its task again.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const arpoGui: CreateRecipe = recipe({
  name: "arpo-gui",
  literature: "ARPO (GUI replay)",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "tasks come from a pool, so that a stored success finds its task again",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, pool: 96 },
  stages: ({ groupSize, epsilon, steps, learningRate, pool }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.passRateBand(), parts.storedSuccess(), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "good-buffer": parts.goodBuffer(), "task-stats": parts.taskStats() },
      steps,
      settings: { tasksPerStep: 12, learningRate, taskPool: pool },
    }),
  ],
});
