/**
 * ADP mixture: clean runs of several sources in one form and in fixed shares.
 *
 * Source: "Agent Data Protocol: Unifying Datasets for Diverse, Effective Fine-tuning of LLM Agents"
 * (S026).
 * Differs from it: sources are short and long runs of one environment, all in this project's record.
 * Why: other records come in through the importers; what they teach could not be compared on one environment's
 * tasks.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const adpMixture: CreateRecipe = recipe({
  name: "adp-mixture",
  literature: "ADP mixture SFT",
  differs: ["sources are short and long runs of one environment, all in this project's record"],
  schedule: ["sft"],
  settings: { kept: 8, steps: 25, learningRate: 3e-3 },
  stages: ({ kept, steps, learningRate }) => [
    demonstrationStart({
      steps,
      learningRate,
      mistakes: 0.3,
      filters: [
        parts.clean(),
        parts.diversityMix({ short: 1, long: 1 }, kept, ({ trajectory }) =>
          trajectory.turns.length > 2 ? "long" : "short",
        ),
      ],
    }),
  ],
});
