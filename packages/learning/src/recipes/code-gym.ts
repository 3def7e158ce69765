/**
 * CodeGym: plain outcome reinforcement on rollouts whose environment held to the end.
 *
 * Source: "Generalizable End-to-End Tool-Use RL with Synthetic CodeGym" (S173).
 * Differs from it: rollouts are checked, not environments.
 * Why: the environments of this project are tested.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const codeGym: CreateRecipe = recipe({
  name: "code-gym",
  literature: "CodeGym",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "rollouts are checked, not environments: those of this project are tested",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, mostTurns: 8 },
  stages: ({ groupSize, epsilon, steps, learningRate, mostTurns }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [
        parts.verify(({ record: trajectory }) => [trajectory.terminated]),
        parts.mixedGroup(),
      ],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate, maxTurns: mostTurns },
    }),
  ],
});
