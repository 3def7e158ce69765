/**
 * PaST: what reinforcement changed is added to a model that learned knowledge apart from it.
 *
 * Source: "Knowledge is Not Enough: Injecting RL Skills for Continual Adaptation" (S198).
 * Differs from it: knowledge is the text of demonstrated runs; factors of adapters are merged, not
 * their products.
 * Why: no other text speaks of these environments, and what pages load is an adapter of the same rank.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { mergeStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const past: CreateRecipe = recipe({
  name: "past",
  literature: "PaST",
  differs: [
    "knowledge is the text of demonstrated runs",
    "factors of adapters are merged, not their products",
  ],
  schedule: ["post-merge"],
  settings: { groupSize: 8, scale: 1, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, scale, steps, learningRate }) => [
    mergeStage({
      rollout: parts.weights(),
      members: [
        [
          demonstrationStart({
            name: "knowledge",
            steps,
            learningRate,
            loss: parts.languageModel(),
          }),
        ],
        [groupReinforcement({ groupSize, steps, learningRate, difficulty: 1 })],
      ],
      how: parts.addedDeltas(scale),
      state: { delta: parts.deltas },
    }),
  ],
});
