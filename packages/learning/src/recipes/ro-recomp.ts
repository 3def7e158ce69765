/**
 * RoRecomp: only the batch is composed otherwise, short successes with long failures; the rest is
 * learned from later.
 *
 * Source: "RoRecomp: Enhancing Reasoning Efficiency via Rollout Response Recomposition in
 * Reinforcement Learning", arXiv:2509.25958.
 * Differs from it: in a later step all that was kept is learned from, and the step's own trajectories are
 * kept instead; no group is rolled out again.
 * Why: what is kept is not lost when a step has few groups of its own.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const roRecomp: CreateRecipe = recipe({
  name: "ro-recomp",
  literature: "RoRecomp",
  differs: [
    "token-mean over the minibatch",
    "in a later step all that was kept is learned from, and the step's own trajectories are kept instead",
    "no group is rolled out again",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, share: 0.5, later: 0.5 },
  stages: ({ groupSize, epsilon, steps, learningRate, share, later }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.recomposeLater(share, later)],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "rest-buffer": parts.leftovers(48) },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
