/**
 * Search-Align: a chain is imitated where every hop of it was verified, not its answer alone.
 *
 * Source: "MC-Search: Evaluating and Enhancing Multimodal Agentic Search with Structured Long
 * Reasoning Chains" (S225).
 * Differs from it: a hop is verified where its calls ran.
 * Why: whether calls ran is in every record, and no model that checks hops fits into runs of minutes.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const searchAlign: CreateRecipe = recipe({
  name: "search-align",
  literature: "Search-Align",
  differs: ["a hop is verified where its calls ran"],
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    demonstrationStart({
      steps,
      learningRate,
      mistakes: 0.3,
      filters: [
        parts.verify(({ turns, verification }) => [
          verification.success,
          ...turns.map(({ toolResults }) => toolResults.every(({ ok }) => ok)),
        ]),
      ],
    }),
  ],
});
