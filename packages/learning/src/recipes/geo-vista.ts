/**
 * GeoVista: credit by the level that an answer reaches, after a start from demonstrations.
 *
 * Source: "GeoVista: Web-Augmented Agentic Visual Reasoning for Geolocalization" (S175).
 * Differs from it: levels are readable turns, calls that ran, and success, not city and country.
 * Why: the environments have no places on a map; these levels are in every record.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { readRanSolved } from "./answer-tiers.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const geoVista: CreateRecipe = recipe({
  name: "geo-vista",
  literature: "GeoVista",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "levels are readable turns, calls that ran, and success, not city and country",
  ],
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    groupReinforcement({
      groupSize,
      reward: readRanSolved(),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
