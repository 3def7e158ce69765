/**
 * Simia: what tools say and how a rollout ended both come from a model of the environment.
 *
 * Source: "Simulating Environments with Reasoning Models for Agent Training" (S303).
 * Differs from it: the simulator is a copy of the base, fitted to logged calls; its verdict is one word after the last turn; a task ends where the environment says, which follows the calls unseen.
 * Why: no second base is there, and the environment says when a task is over whatever a simulator believes.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const simia: CreateRecipe = recipe({
  name: "simia",
  literature: "Simia",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the simulator is a copy of the base, fitted to logged calls",
    "its verdict is one word after the last turn",
    "a task ends where the environment says, which follows the calls unseen",
  ],
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.simulatedTools({ size: groupSize, judges: true }),
      filters: [parts.mixedGroup()],
      reward: parts.imaginedOutcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "world-model": parts.worldModel },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
