/**
 * ASTRA: verified demonstrations, then a reward for the whole trajectory that minds what calls cost.
 *
 * Source: "ASTRA: Automated Synthesis of agentic Trajectories and Reinforcement Arenas" (S085).
 * Differs from it: the arenas are this project's environments.
 * Why: they have exact verifiers, which synthesised arenas have to be given.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const astra: CreateRecipe = recipe({
  name: "astra",
  literature: "ASTRA",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the arenas are this project's environments",
  ],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    callCost: 0.05,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, callCost }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.verify()],
    }),
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
