/**
 * Visual-ARFT: words of the answer against those of the right one, beside form and calls that ran.
 *
 * Source: "Visual Agentic Reinforcement Fine-Tuning", arXiv:2505.14246.
 * Differs from it: no images.
 * Why: the models read text alone.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const visualArft: CreateRecipe = recipe({
  name: "visual-arft",
  literature: "Visual-ARFT",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "no images",
  ],
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    formatWeight: 0.2,
    ranWeight: 0.2,
  },
  stages: ({ groupSize, epsilon, steps, learningRate, formatWeight, ranWeight }) => [
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.answerF1(), { standard: 1 }],
        [parts.format(), formatWeight],
        [parts.exec(), ranWeight],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
