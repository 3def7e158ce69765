/**
 * AstraFlow: several policies pull from one flow of joint rollouts while it goes on, so each learns from what
 * an older version of it did.
 *
 * Source: "AstraFlow: Dataflow-Oriented Reinforcement Learning for Agentic LLMs" (S086).
 * Differs from it: one recipe of those that its flow can carry; the lag is fixed.
 * Why: a fixed lag can be repeated from a seed, and the flow carries any recipe alike.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
const ROLES = ["first", "second"] as const;

export const astraFlow: CreateRecipe = recipe({
  name: "astra-flow",
  literature: "AstraFlow",
  differs: ["one recipe of those that its flow can carry", "the lag is fixed"],
  schedule: ["one"],
  settings: { groupSize: 6, epsilon: 0.2, lag: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, lag, steps, learningRate }) => [
    rewardStage({
      rollout: parts.asynchronous(parts.teamOf({ how: "relay", roles: ROLES, size: groupSize })),
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "role-adapters": parts.roleAdapters(ROLES) },
      steps,
      settings: { tasksPerStep: 8, learningRate, lag },
    }),
  ],
});
