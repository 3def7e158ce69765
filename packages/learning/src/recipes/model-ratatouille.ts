/**
 * Model Ratatouille: one task is learned from several starts, each tuned on another task before, and
 * the results are averaged.
 *
 * Source: Rame et al. 2022, "Model Ratatouille: Recycling Diverse Models for Out-of-Distribution
 * Generalization", arXiv:2212.10445.
 * Differs from it: the other tasks are calling and answering alone, in one environment; factors of
 * adapters are merged, not their products.
 * Why: two halves of one environment are tasks that one base can read, and what pages load is an adapter of the
 * same rank.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { mergeStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const modelRatatouille: CreateRecipe = recipe({
  name: "model-ratatouille",
  literature: "Model Ratatouille",
  differs: [
    "the other tasks are calling and answering alone, in one environment",
    "factors of adapters are merged, not their products",
  ],
  schedule: ["post-merge"],
  settings: { auxiliarySteps: 5, steps: 25, learningRate: 3e-3 },
  stages: ({ auxiliarySteps, steps, learningRate }) => [
    mergeStage({
      rollout: parts.weights(),
      members: [
        [
          demonstrationStart({
            name: "calls",
            steps: auxiliarySteps,
            learningRate,
            filters: [parts.stepMask(({ toolCalls }) => toolCalls.length > 0)],
          }),
          demonstrationStart({ steps, learningRate }),
        ],
        [
          demonstrationStart({
            name: "answers",
            steps: auxiliarySteps,
            learningRate,
            filters: [parts.stepMask(({ toolCalls }) => toolCalls.length === 0)],
          }),
          demonstrationStart({ steps, learningRate }),
        ],
      ],
      how: parts.averagedDeltas(),
      state: { delta: parts.deltas },
    }),
  ],
});
