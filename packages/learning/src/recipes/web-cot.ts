/**
 * WebCoT: what several demonstrations of a task tried, left and tried otherwise is told as one, with the
 * turning back in words, and imitated.
 *
 * Source: "WebCoT: Enhancing Web Agent Reasoning by Reconstructing Chain-of-Thought in Reflection,
 * Branching, and Rollback" (S353).
 * Differs from it: the words are the same every time, no model rewrites them; reflection and rollback are
 * told alike; what led astray is read and not learned.
 * Why: a nano model rewrites nothing; words that never change are learned for where they stand.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const webCot: CreateRecipe = recipe({
  name: "web-cot",
  literature: "WebCoT",
  differs: [
    "the words are the same every time, no model rewrites them",
    "reflection and rollback are told alike",
    "what led astray is read and not learned",
  ],
  schedule: ["sft"],
  settings: { shown: 4, mistakes: 0.4, branches: 1, steps: 25, learningRate: 3e-3 },
  stages: ({ shown, mistakes, branches, steps, learningRate }) => [
    tokenStage({
      rollout: parts.retoldDemos(
        shown,
        mistakes,
        parts.traversal("That does not help. I go back and think again.", branches),
      ),
      filters: [parts.keptTrees(), parts.retold()],
      losses: [parts.crossEntropy()],
      state: { "tree-store": parts.searchTrees },
      steps,
      settings: { tasksPerStep: 16, learningRate },
    }),
  ],
});
