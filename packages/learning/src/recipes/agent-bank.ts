/**
 * AgentBank: demonstrations that succeeded, as many hard ones as easy ones, so that the easy do not
 * crowd out the rest.
 *
 * Source: "AgentBank: Towards Generalized LLM Agents via Fine-Tuning on 50000+ Interaction
 * Trajectories" (S038).
 * Differs from it: how hard a task is shows in the turns of its demonstration.
 * Why: difficulty is then known of every demonstration without another model.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const agentBank: CreateRecipe = recipe({
  name: "agent-bank",
  literature: "AgentBank",
  differs: ["how hard a task is shows in the turns of its demonstration"],
  schedule: ["sft"],
  settings: { kept: 12, steps: 25, learningRate: 3e-3 },
  stages: ({ kept, steps, learningRate }) => [
    demonstrationStart({
      steps,
      learningRate,
      mistakes: 0.3,
      filters: [
        parts.success(),
        parts.diversityMix({ short: 1, long: 1 }, kept, ({ trajectory }) =>
          trajectory.turns.length > 2 ? "long" : "short",
        ),
      ],
    }),
  ],
});
