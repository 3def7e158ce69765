/**
 * ARM-Thinker: reinforcement in two stages, easy tasks first.
 *
 * Source: "ARM-Thinker: Reinforcing Multimodal Generative Reward Models with Agentic Tool Use and
 * Visual Reasoning" (S083).
 * Differs from it: what is learned is a policy that acts, not a reward model that uses tools; stages
 * differ in difficulty, as the abstract does not say in what.
 * Why: verifiers are exact, so that a model of rewards would have nothing to add.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const armThinker: CreateRecipe = recipe({
  name: "arm-thinker",
  literature: "ARM-Thinker",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "what is learned is a policy that acts, not a reward model that uses tools",
    "stages differ in difficulty, as the abstract does not say in what",
  ],
  schedule: ["stages"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, easySteps: 8 },
  stages: ({ groupSize, epsilon, steps, learningRate, easySteps }) => [
    groupReinforcement({
      groupSize,
      name: "easy",
      loss: parts.pgClip(epsilon),
      steps: easySteps,
      learningRate,
      difficulty: 0,
    }),
    groupReinforcement({
      groupSize,
      name: "all",
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
