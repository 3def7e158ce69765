/**
 * TAIL: an adapter for each kind of task over a frozen base, each learned from demonstrations of its own.
 *
 * Source: Liu et al. 2024, "TAIL: Task-specific Adapters for Imitation Learning with Large Pretrained
 * Models", arXiv:2310.05905.
 * Differs from it: kinds are levels of difficulty, learned side by side.
 * Why: levels are what one environment has in place of tasks, and side by side each has the same budget.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
const TASKS = ["task-0", "task-1", "task-2"] as const;

export const tail: CreateRecipe = recipe({
  name: "tail",
  literature: "TAIL",
  differs: ["kinds are levels of difficulty, learned side by side"],
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(),
      losses: [parts.crossEntropy()],
      state: { "role-adapters": parts.roleAdapters(TASKS, { roleOf: parts.byLevel(TASKS) }) },
      steps,
      settings: { tasksPerStep: 48, learningRate },
    }),
  ],
});
