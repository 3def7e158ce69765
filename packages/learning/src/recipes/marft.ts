/**
 * MARFT: agents in any order, each reading what those before it answered; rewards are the team's, the
 * statistic is each agent's own.
 *
 * Source: "MARFT: Multi-Agent Reinforcement Fine-Tuning", arXiv:2504.16129.
 * Differs from it: group statistics in place of a critic for each agent.
 * Why: agents begin at one task, so that siblings are a baseline that needs no training.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
const ROLES = ["drafter", "checker"] as const;

export const marft: CreateRecipe = recipe({
  name: "marft",
  literature: "MARFT",
  differs: ["group statistics in place of a critic for each agent"],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.teamOf({ how: "relay", roles: ROLES, size: groupSize }),
      reward: parts.team(),
      advantage: parts.perAgent(),
      losses: [parts.spanMask(parts.pgClip(epsilon))],
      state: { "role-adapters": parts.roleAdapters(ROLES) },
      steps,
      settings: { tasksPerStep: 8, learningRate },
    }),
  ],
});
