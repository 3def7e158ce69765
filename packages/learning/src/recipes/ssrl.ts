/**
 * SSRL: the policy answers its own searches in training; only its answer is judged, and its form.
 *
 * Source: "SSRL: Self-Search Reinforcement Learning" (S312).
 * Differs from it: the policy answers in a conversation of its own, with the roles changed; a task ends where the environment says, which follows the calls unseen.
 * Why: one model is what a page holds, and the environment says when a task is over.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const ssrl: CreateRecipe = recipe({
  name: "ssrl",
  literature: "SSRL",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the policy answers in a conversation of its own, with the roles changed",
    "a task ends where the environment says, which follows the calls unseen",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, formatWeight: 0.2 },
  stages: ({ groupSize, epsilon, steps, learningRate, formatWeight }) => [
    groupReinforcement({
      groupSize,
      rollout: parts.selfAnswered(groupSize),
      reward: parts.weighted([
        [parts.outcome(), { standard: 1 }],
        [parts.format(), formatWeight],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
