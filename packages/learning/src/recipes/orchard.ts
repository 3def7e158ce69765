/**
 * Orchard: productive turns of failed runs are learned too, those that failed are masked.
 *
 * Source: "Orchard: An Open-Source Agentic Modeling Framework" (S254).
 * Differs from it: a productive turn is one whose calls ran; group sizes are fixed.
 * Why: which calls ran is in every record, and groups of one size have baselines that are equally sure.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { teacherStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const orchard: CreateRecipe = recipe({
  name: "orchard",
  literature: "Orchard",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "a productive turn is one whose calls ran",
    "group sizes are fixed",
  ],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    secondMistakes: 0.3,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, secondMistakes }) => [
    teacherStart({
      filters: [parts.stepMask()],
      loss: parts.maskedCrossEntropy(),
      steps: startSteps,
      learningRate,
      secondMistakes,
    }),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});
