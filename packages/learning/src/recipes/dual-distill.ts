/**
 * DualDistill: two teachers show the same task, and what succeeded is imitated.
 *
 * Source: "Agentic-R1: Distilled Dual-Strategy Reasoning" (S056).
 * Differs from it: the teachers differ in how often they err, not in strategy; their solutions are
 * not joined by transition text.
 * Why: no reasoning model is there to be a second teacher; how often one errs is known.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const dualDistill: CreateRecipe = recipe({
  name: "dual-distill",
  literature: "DualDistill",
  differs: [
    "the teachers differ in how often they err, not in strategy",
    "their solutions are not joined by transition text",
  ],
  schedule: ["sft"],
  settings: { first: 0.1, second: 0.4, steps: 25, learningRate: 3e-3 },
  stages: ({ first, second, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teacherDemos(),
      filters: [parts.success({ perTask: 1 })],
      state: { teacher: parts.demonstrators(first, second) },
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
