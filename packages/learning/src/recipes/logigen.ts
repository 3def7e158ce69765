/**
 * LOGIGEN: pay for every step towards the wanted state and for reaching it exactly, after verified
 * demonstrations.
 *
 * Source: "LOGIGEN: Logic-Driven Generation of Verifiable Agentic Tasks" (S213).
 * Differs from it: token-mean over the minibatch; groups without a signal are rolled out again.
 * Why: a token mean keeps long trajectories from weighing less, and a nano model's groups are often all right or
 * all wrong.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const logigen: CreateRecipe = recipe({
  name: "logigen",
  literature: "LOGIGEN",
  differs: ["token-mean over the minibatch", "groups without a signal are rolled out again"],
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.verify()],
    }),
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.outcome("success"), { standard: 0.5 }],
        [parts.progress(), { standard: 0.5 }],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
