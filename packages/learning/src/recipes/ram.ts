/**
 * RAM: what several reinforced models changed alike is averaged, what one alone changed is kept and
 * rescaled.
 *
 * Source: "Behavior Knowledge Merge in Reinforced Agentic Models" (S097).
 * Differs from it: the models learned easy tasks and all of them; factors of adapters are merged,
 * not their products.
 * Why: an environment's levels are the tasks that one base can read, and what pages load is an adapter of the same
 * rank.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { mergeStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const ram: CreateRecipe = recipe({
  name: "ram",
  literature: "RAM",
  differs: [
    "the models learned easy tasks and all of them",
    "factors of adapters are merged, not their products",
  ],
  schedule: ["post-merge"],
  settings: { groupSize: 8, rescaling: 0.1, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, rescaling, steps, learningRate }) => [
    mergeStage({
      rollout: parts.weights(),
      members: [
        [groupReinforcement({ groupSize, steps, learningRate, difficulty: 0 })],
        [groupReinforcement({ groupSize, steps, learningRate, difficulty: 1 })],
      ],
      how: parts.reinforced(rescaling),
      state: { delta: parts.deltas },
    }),
  ],
});
