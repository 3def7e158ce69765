/**
 * Youtu-LLM: plain text in stages, each with a larger share of long agent runs.
 *
 * Source: "Youtu-LLM: Unlocking the Native Agentic Potential for Lightweight Large Language Models"
 * (S359).
 * Differs from it: the mixture is one of short and long runs.
 * Why: what one environment has are short and long runs.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const youtuLlm: CreateRecipe = recipe({
  name: "youtu-llm",
  literature: "Youtu-LLM",
  differs: ["the mixture is one of short and long runs"],
  schedule: ["cpt"],
  settings: { kept: 12, firstShare: 0.25, lastShare: 0.75, steps: 25, learningRate: 3e-3 },
  stages: ({ kept, firstShare, lastShare, steps, learningRate }) => [
    demonstrationStart({
      name: "first",
      steps,
      learningRate,
      mistakes: 0.3,
      loss: parts.languageModel(),
      filters: [
        parts.diversityMix({ long: firstShare, short: 1 - firstShare }, kept, ({ trajectory }) =>
          trajectory.turns.length > 2 ? "long" : "short",
        ),
      ],
    }),
    demonstrationStart({
      name: "last",
      steps,
      learningRate,
      mistakes: 0.3,
      loss: parts.languageModel(),
      filters: [
        parts.diversityMix({ long: lastShare, short: 1 - lastShare }, kept, ({ trajectory }) =>
          trajectory.turns.length > 2 ? "long" : "short",
        ),
      ],
    }),
  ],
});
