/**
 * LIMI: a handful of chosen demonstrations in place of many.
 *
 * Source: "LIMI: Less is More for Agency" (S210).
 * Differs from it: the handful is chosen anew in every step.
 * Why: demonstrations are drawn by seed and kept nowhere, so that the choice is made where they are.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const limi: CreateRecipe = recipe({
  name: "limi",
  literature: "LIMI",
  differs: ["the handful is chosen anew in every step"],
  schedule: ["sft"],
  settings: { budget: 4, steps: 25, learningRate: 3e-3 },
  stages: ({ budget, steps, learningRate }) => [
    demonstrationStart({ steps, learningRate, mistakes: 0.3, filters: [parts.curated(budget)] }),
  ],
});
