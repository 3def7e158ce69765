/**
 * QUASAR: what can be read and run is paid before what is right.
 *
 * Source: "QUASAR: Quantum Assembly Code Generation Using Tool-Augmented LLMs via Agentic RL" (S274).
 * Differs from it: tiers are readable turns, calls that ran, and success.
 * Why: no circuits are built here; these levels are in every record.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { readRanSolved } from "./answer-tiers.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const quasar: CreateRecipe = recipe({
  name: "quasar",
  literature: "QUASAR",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "tiers are readable turns, calls that ran, and success",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    groupReinforcement({
      groupSize,
      reward: readRanSolved(),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
