/**
 * ATLaS: the loss of critical steps only, most of a run is context.
 *
 * Source: "ATLaS: Agent Tuning via Learning Critical Steps" (S087).
 * Differs from it: critical are the first step, where the plan is made, and those after a failure, where it is
 * mended; the paper has a larger model choose such steps.
 * Why: no larger model is there to choose, and where a plan is made or fails can be read off the record.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import type { JudgedTrajectory, JudgedTurn } from "../composition/judged-trajectory.ts";

function isCritical(turn: JudgedTurn, { turns }: JudgedTrajectory): boolean {
  const before = turns[turns.indexOf(turn) - 1];
  return before === undefined || before.toolResults.some(({ ok }) => !ok);
}

export const atlas: CreateRecipe = recipe({
  name: "atlas",
  literature: "ATLaS",
  differs: [
    "critical are the first step and those after a failure; the paper has a larger model choose",
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
