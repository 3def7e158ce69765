/**
 * Model Breadcrumbs: of what each model changed, the smallest and the largest entries are left out
 * before they are added.
 *
 * Source: Davari and Belilovsky 2023, "Model Breadcrumbs: Scaling Multi-Task Model Merging with
 * Sparse Masks" (S231).
 * Differs from it: tasks are calling and answering in one environment; factors of adapters are merged,
 * not their products.
 * Why: two halves of one environment are tasks that one base can read, and what pages load is an adapter of the
 * same rank.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { mergeStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const modelBreadcrumbs: CreateRecipe = recipe({
  name: "model-breadcrumbs",
  literature: "Model Breadcrumbs",
  differs: [
    "tasks are calling and answering in one environment",
    "factors of adapters are merged, not their products",
  ],
  schedule: ["post-merge"],
  settings: { smallest: 0.85, largest: 0.01, scale: 1, steps: 25, learningRate: 3e-3 },
  stages: ({ smallest, largest, scale, steps, learningRate }) => [
    mergeStage({
      rollout: parts.weights(),
      members: [
        [
          demonstrationStart({
            name: "calls",
            steps,
            learningRate,
            filters: [parts.stepMask(({ toolCalls }) => toolCalls.length > 0)],
          }),
        ],
        [
          demonstrationStart({
            name: "answers",
            steps,
            learningRate,
            filters: [parts.stepMask(({ toolCalls }) => toolCalls.length === 0)],
          }),
        ],
      ],
      how: parts.breadcrumbs({ smallest, largest }, scale),
      state: { delta: parts.deltas },
    }),
  ],
});
