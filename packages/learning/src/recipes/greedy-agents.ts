/**
 * Fine-tuning on self-written rationales from single trajectories; the abstract names no estimator, so a
 * moving baseline stands in.
 *
 * Source: Schmied et al. 2025, "LLMs are Greedy Agents", arXiv:2504.16078.
 * Differs from it: token-mean over the minibatch; a moving baseline.
 * Why: a token mean keeps long trajectories from weighing less, and single rollouts have no group to be compared
 * with.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const greedyAgents: CreateRecipe = recipe({
  name: "greedy-agents",
  literature: "Greedy-agents RLFT",
  differs: [
    "token-mean over the minibatch",
    "a moving baseline, as the abstract names no estimator",
  ],
  schedule: ["one"],
  settings: { decay: 0.98, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ decay, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      advantage: parts.movingBaselineAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { baseline: parts.baseline({ decay, prior: 0.5 }) },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});
