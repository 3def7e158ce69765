/**
 * Agentic CPT: agent data as plain text first, then demonstrations, then reinforcement.
 *
 * Source: "Scaling Agents via Continual Pre-training" (S294).
 * Differs from it: the text of the first stage is that of demonstrated runs.
 * Why: no other text speaks of these environments.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const agenticCpt: CreateRecipe = recipe({
  name: "agentic-cpt",
  literature: "Agentic CPT",
  differs: ["the text of the first stage is that of demonstrated runs"],
  schedule: ["cpt-sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    textSteps: 5,
    startSteps: 5,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ groupSize, epsilon, textSteps, startSteps, steps, learningRate }) => [
    demonstrationStart({
      name: "text",
      steps: textSteps,
      learningRate,
      mistakes: 0.3,
      loss: parts.languageModel(),
    }),
    demonstrationStart({ steps: startSteps, learningRate }),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});
