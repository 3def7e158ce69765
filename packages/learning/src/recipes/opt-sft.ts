/**
 * OPT-350M SFT: plain imitation of right demonstrations, few steps, a tiny model. The point that
 * other recipes of imitation differ from.
 *
 * Source: "Small Language Models for Efficient Agentic Tool Calling: Outperforming Large Models with
 * Targeted Fine-tuning" (S306).
 * Differs from it: one epoch is a number of steps.
 * Why: demonstrations are made anew, none comes twice.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const optSft: CreateRecipe = recipe({
  name: "opt-sft",
  literature: "OPT-350M SFT",
  differs: ["one epoch is a number of steps, as demonstrations are made anew"],
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [demonstrationStart({ steps, learningRate })],
});
