/**
 * ARTIST: tool output is context only, one terminal reward, no step labels. The reference point that
 * other recipes differ from.
 *
 * Source: Singh et al. 2025, "Agentic Reasoning and Tool Integration for LLMs via Reinforcement
 * Learning", arXiv:2505.01441.
 * Differs from it: token-mean over the minibatch; groups without a signal are rolled out again.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import { groupAdvantage } from "../parts/group-advantages.ts";
import { mixedGroup } from "../parts/filters.ts";
import { pgClip, spanMask } from "../parts/policy-losses.ts";
import { outcome } from "../parts/rewards.ts";
import { group } from "../parts/rollouts.ts";

export const artist: CreateRecipe = recipe({
  name: "artist",
  literature: "ARTIST",
  differs: ["token-mean over the minibatch", "groups without a signal are rolled out again"],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: group(groupSize),
      filters: [mixedGroup()],
      reward: outcome(),
      advantage: groupAdvantage(),
      losses: [spanMask(pgClip(epsilon))],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
