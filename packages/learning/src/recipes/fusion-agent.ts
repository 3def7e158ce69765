/**
 * FusionAgent: models are tools and each call has its price.
 *
 * Source: "FusionAgent: A Multimodal Agent with Dynamic Model Selection for Human Recognition" (S169).
 * Differs from it: tools of the environment stand for models.
 * Why: one process has one model; a tool that is better at something stands for another one.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const fusionAgent: CreateRecipe = recipe({
  name: "fusion-agent",
  literature: "FusionAgent",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "tools of the environment stand for models",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, callCost: 0.05 },
  stages: ({ groupSize, epsilon, steps, learningRate, callCost }) => [
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.outcome(), { standard: 0.5 }],
        [parts.economy({ toolCall: callCost }), { standard: 0.5 }],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
