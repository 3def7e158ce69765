/**
 * T3-Agent: what two verifiers let pass is imitated, one of the task and one of the run.
 *
 * Source: "Multi-modal Agent Tuning: Building a VLM-Driven Agent for Efficient Tool Usage" (S240).
 * Differs from it: the verifier of the run asks that every turn could be read and that tools were
 * used.
 * Why: the models read text alone, and both can be read off any record.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const t3Agent: CreateRecipe = recipe({
  name: "t3-agent",
  literature: "T3-Agent",
  differs: ["the verifier of the run asks that every turn could be read and that tools were used"],
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    demonstrationStart({
      steps,
      learningRate,
      mistakes: 0.3,
      filters: [
        parts.verify(({ verification, turns }) => [
          verification.success,
          turns.some(({ toolCalls }) => toolCalls.length > 0) &&
            turns.every(({ parseError }) => parseError === null),
        ]),
      ],
    }),
  ],
});
