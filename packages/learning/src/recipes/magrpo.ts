/**
 * MAGRPO: agents act at the same time in one environment, the statistic is over joint rollouts, and everybody in
 * one has the same advantage.
 *
 * Source: "LLM Collaboration With Multi-Agent Reinforcement Learning", arXiv:2508.04652.
 * Differs from it: two agents; token-mean over the minibatch.
 * Why: two are what a call divides into, and a token mean keeps long trajectories from weighing less.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
const ROLES = ["first", "second"] as const;

export const magrpo: CreateRecipe = recipe({
  name: "magrpo",
  literature: "MAGRPO",
  differs: ["two agents", "token-mean over the minibatch"],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.teamOf({ how: "together", roles: ROLES, size: groupSize }),
      reward: parts.team(),
      advantage: parts.jointAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "role-adapters": parts.roleAdapters(ROLES) },
      steps,
      settings: { tasksPerStep: 8, learningRate },
    }),
  ],
});
