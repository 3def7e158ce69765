/**
 * ScalingInter-RL: few turns at first, more by schedule; no start from demonstrations.
 *
 * Source: Xi et al. 2025, "AgentGym-RL", arXiv:2509.08755.
 * Differs from it: token-mean over the minibatch; groups without a signal are rolled out again.
 * Why: a token mean keeps long trajectories from weighing less, and a nano model's groups are often all right or
 * all wrong.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const scalingInterRl: CreateRecipe = recipe({
  name: "scaling-inter-rl",
  literature: "ScalingInter-RL",
  differs: ["token-mean over the minibatch", "groups without a signal are rolled out again"],
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    firstTurns: 3,
    lastTurns: 8,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ groupSize, epsilon, firstTurns, lastTurns, steps, learningRate }) => [
    groupReinforcement({
      groupSize,
      loss: parts.pgClip(epsilon),
      schedule: [parts.horizonCurriculum(firstTurns, lastTurns)],
      steps,
      learningRate,
    }),
  ],
});
