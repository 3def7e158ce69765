/**
 * Benign re-alignment: a few good samples undo what many bad ones taught.
 *
 * Source: "Persona Features Control Emergent Misalignment" (S259).
 * Differs from it: bad samples are demonstrations that mostly err, not harmful ones.
 * Why: nothing in these environments harms; demonstrations that err do the same to a policy.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const benignRealignment: CreateRecipe = recipe({
  name: "benign-realignment",
  literature: "Benign re-alignment",
  differs: ["bad samples are demonstrations that mostly err, not harmful ones"],
  schedule: ["sft"],
  settings: { driftSteps: 10, driftMistakes: 0.8, budget: 6, steps: 25, learningRate: 3e-3 },
  stages: ({ driftSteps, driftMistakes, budget, steps, learningRate }) => [
    demonstrationStart({ name: "drift", steps: driftSteps, learningRate, mistakes: driftMistakes }),
    demonstrationStart({ name: "realign", steps, learningRate, filters: [parts.curated(budget)] }),
  ],
});
