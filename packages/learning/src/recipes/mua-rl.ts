/**
 * MUA-RL: a simulated user speaks inside the trajectory, and what it says carries no loss.
 *
 * Source: "MUA-RL: Multi-turn User-interacting Agent Reinforcement Learning for agentic tool use",
 * arXiv:2508.18669.
 * Differs from it: the user follows rules, no model plays it.
 * Why: a user by rule says the same again to every policy that is compared.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const muaRl: CreateRecipe = recipe({
  name: "mua-rl",
  literature: "MUA-RL",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the user follows rules, no model plays it",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.userSimulation(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.spanMask(parts.pgClip(epsilon))],
      state: { "world-model": parts.ownSimulator },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
