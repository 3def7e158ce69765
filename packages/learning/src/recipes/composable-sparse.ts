/**
 * Composable sparse fine-tuning: each model changes a small part of its own, so that the changes
 * add.
 *
 * Source: Ansell et al. 2021, "Composable Sparse Fine-Tuning for Cross-Lingual Transfer",
 * arXiv:2110.07560.
 * Differs from it: the part is a kind of matrix, not the entries that a first training moved most;
 * factors of adapters are merged, not their products.
 * Why: kinds of matrices are disjoint without a first training, and what pages load is an adapter of one
 * rank.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { mergeStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const composableSparse: CreateRecipe = recipe({
  name: "composable-sparse",
  literature: "Composable sparse FT",
  differs: [
    "the part is a kind of matrix, not the entries that a first training moved most",
    "factors of adapters are merged, not their products",
  ],
  schedule: ["post-merge"],
  settings: { scale: 1, steps: 25, learningRate: 3e-3 },
  stages: ({ scale, steps, learningRate }) => [
    mergeStage({
      rollout: parts.weights(),
      members: [
        [
          demonstrationStart({
            name: "calls",
            steps,
            learningRate,
            filters: [parts.stepMask(({ toolCalls }) => toolCalls.length > 0)],
            loss: parts.parameterSubset(
              parts.crossEntropy(),
              (names) => new Set(names.filter((name) => name.includes("self_attn"))),
            ),
          }),
        ],
        [
          demonstrationStart({
            name: "answers",
            steps,
            learningRate,
            filters: [parts.stepMask(({ toolCalls }) => toolCalls.length === 0)],
            loss: parts.parameterSubset(
              parts.crossEntropy(),
              (names) => new Set(names.filter((name) => name.includes("mlp"))),
            ),
          }),
        ],
      ],
      how: parts.addedDeltas(scale),
      state: { delta: parts.deltas },
    }),
  ],
});
