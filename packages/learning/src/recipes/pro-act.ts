/**
 * ProAct: what a search found is imitated first, then reinforcement whose advantages are calibrated by short
 * runs that go on from visited states.
 *
 * Source: "ProAct: Agentic Lookahead in Interactive Environments" (S272).
 * Differs from it: the best line of a search is imitated as it is, not rewritten as reasoning; runs go on
 * to the end of the task.
 * Why: a nano model writes no reasoning, and the end of a task is where it is verified.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage, tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const proAct: CreateRecipe = recipe({
  name: "pro-act",
  literature: "ProAct",
  differs: [
    "the best line of a search is imitated as it is, not rewritten as reasoning",
    "runs go on to the end of the task",
  ],
  schedule: ["sft-rl"],
  settings: {
    ...{ attempts: 8, whole: 4, size: 8, calibration: 0.5, epsilon: 0.2 },
    ...{ searchSteps: 6, steps: 20, learningRate: 3e-3 },
  },
  stages: ({ attempts, whole, size, calibration, epsilon, searchSteps, steps, learningRate }) => [
    tokenStage({
      name: "search",
      rollout: parts.tree(attempts),
      filters: [parts.bestLine()],
      reward: parts.outcome(),
      advantage: parts.monteCarloTree(),
      losses: [parts.crossEntropy()],
      state: { "tree-store": parts.searchTrees },
      steps: searchSteps,
      settings: { tasksPerStep: 12, learningRate },
    }),
    rewardStage({
      rollout: parts.branchVine(size, whole),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.calibrated(parts.groupAdvantage(), calibration),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
