/**
 * Planner-R1: process pay along the way in place of the final pass alone.
 *
 * Source: "Planner-R1: Reward Shaping Enables Efficient Agentic RL with Smaller LLMs" (S264).
 * Differs from it: a half of the reward is the outcome.
 * Why: steps alone can be paid without the task being solved.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const plannerR1: CreateRecipe = recipe({
  name: "planner-r1",
  literature: "Planner-R1",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "a half of the reward is the outcome",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.outcome(), { standard: 0.5 }],
        [parts.progress(), { standard: 0.5 }],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
