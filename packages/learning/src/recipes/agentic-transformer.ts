/**
 * Agentic Transformer: stored trials are imitated by what they returned, the best most.
 *
 * Source: Liu and Abbeel 2023, "Emergent Agentic Transformer from Chain of Hindsight Experience",
 * arXiv:2305.16554.
 * Differs from it: returns weigh trials in place of a chain of trials that ends in the best.
 * Why: weights need no token of their own in a vocabulary of some hundred.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const agenticTransformer: CreateRecipe = recipe({
  name: "agentic-transformer",
  literature: "Agentic Transformer",
  differs: ["returns weigh trials in place of a chain of trials that ends in the best"],
  schedule: ["one"],
  settings: { temperature: 0.5, trials: 4, steps: 25, learningRate: 3e-3 },
  stages: ({ temperature, trials, steps, learningRate }) => [
    tokenStage({
      rollout: parts.log(trials),
      reward: parts.outcome(),
      losses: [parts.returnConditioned(temperature)],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
