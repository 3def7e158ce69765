/**
 * PivotRL: single turns of stored trajectories, those whose sampled actions differ, scored by whether the
 * action does what the stored one did.
 *
 * Source: "PivotRL: High Accuracy Agentic Post-Training at Low Compute Cost" (S262).
 * Differs from it: stored trajectories are the demonstrator's at first; the policy's own actions from them are stored
 * too and in time take their place.
 * Why: demonstrations become a task that the policy has left behind.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const pivotRl: CreateRecipe = recipe({
  name: "pivot-rl",
  literature: "PivotRL",
  differs: [
    "token-mean over the minibatch",
    "stored trajectories are the demonstrator's at first; the policy's own actions from them are stored too and in time take their place",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.pivot(groupSize),
      filters: [parts.pivotVariance()],
      reward: parts.equivalent(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
