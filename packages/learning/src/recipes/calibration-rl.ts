/**
 * Calibration RL: beside the outcome, a reward for being as sure as one is right.
 *
 * Source: "The Confidence Dichotomy: Analyzing and Mitigating Miscalibration in Tool-Use Agents"
 * (S320).
 * Differs from it: confidence is the probability with which the last turn was sampled, by token, not a
 * number that is said.
 * Why: a nano model that says a number has learned to say numbers; its probabilities are its own.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { sampledConfidence } from "./sampled-confidence.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const calibrationRl: CreateRecipe = recipe({
  name: "calibration-rl",
  literature: "Calibration RL",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "confidence is the probability with which the last turn was sampled, by token, not a number that is said",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, honesty: 0.5 },
  stages: ({ groupSize, epsilon, steps, learningRate, honesty }) => [
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.outcome(), { standard: 1 }],
        [parts.calibration(sampledConfidence), honesty],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
