/**
 * CAP-CPT: documents enter the weights as plain text, then demonstrations of their use are imitated.
 *
 * Source: "Analyzing and Internalizing Complex Policy Documents for LLM Agents" (S079).
 * Differs from it: the document is the system message of the environment; its parts are not sorted by
 * category.
 * Why: the system message is all that an environment says of itself.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const capCpt: CreateRecipe = recipe({
  name: "cap-cpt",
  literature: "CAP-CPT",
  differs: [
    "the document is the system message of the environment; its parts are not sorted by category",
  ],
  schedule: ["cpt-sft"],
  settings: { textSteps: 10, steps: 25, learningRate: 3e-3 },
  stages: ({ textSteps, steps, learningRate }) => [
    demonstrationStart({
      name: "text",
      steps: textSteps,
      learningRate,
      loss: parts.languageModel(),
    }),
    demonstrationStart({ steps, learningRate }),
  ],
});
