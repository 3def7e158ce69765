/**
 * ATLaS: the loss of critical steps only, most of a run is context.
 *
 * Source: "ATLaS: Agent Tuning via Learning Critical Steps" (S087).
 * Differs from it: critical is the step that decides the run, its last; the paper has a larger model
 * choose.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import type { Episode, EpisodeTurn } from "../composition/episode.ts";

const isCritical = (turn: EpisodeTurn, { turns }: Episode): boolean => turn === turns.at(-1);

export const atlas: CreateRecipe = recipe({
  name: "atlas",
  literature: "ATLaS",
  differs: [
    "critical is the step that decides the run, its last; the paper has a larger model choose",
  ],
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    demonstrationStart({
      steps,
      learningRate,
      filters: [parts.stepMask(isCritical)],
      loss: parts.maskedCrossEntropy(isCritical),
    }),
  ],
});
