/**
 * AgentTuning: agent runs that succeeded, mixed with general data in a fixed share.
 *
 * Source: "AgentTuning: Enabling Generalized Agent Abilities for LLMs" (S072).
 * Differs from it: general data are the environment's short runs.
 * Why: there is no other text.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const agentTuning: CreateRecipe = recipe({
  name: "agent-tuning",
  literature: "AgentTuning",
  differs: ["general data are the environment's short runs: there is no other text"],
  schedule: ["sft"],
  settings: { agentShare: 0.2, kept: 12, steps: 25, learningRate: 3e-3 },
  stages: ({ agentShare, kept, steps, learningRate }) => [
    demonstrationStart({
      steps,
      learningRate,
      mistakes: 0.3,
      filters: [
        parts.success(),
        parts.diversityMix({ long: agentShare, short: 1 - agentShare }, kept, ({ trajectory }) =>
          trajectory.turns.length > 2 ? "long" : "short",
        ),
      ],
    }),
  ],
});
