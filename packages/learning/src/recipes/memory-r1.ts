/**
 * Memory-R1: a manager adds, updates, deletes or leaves entries of a memory, line by line; an answerer has the
 * memory and the question, and nothing else. Both learn from whether the final answer is right.
 *
 * Source: Yan et al. 2025, "Memory-R1: Enhancing Large Language Model Agents to Manage and Utilize Memories via
 * Reinforcement Learning", arXiv:2508.19828.
 * Differs from it: both learn at once, the manager within groups and the answerer with a critic, where the
 * paper tries either for each, one agent at a time; the answerer sees the whole memory, not what a retriever
 * found in it.
 * Why: a memory that fits the nano context needs no retriever, and a critic is asked where there is no group.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

const ROLES = { manager: "manager", answerer: "answerer" } as const;

export const memoryR1: CreateRecipe = recipe({
  name: "memory-r1",
  literature: "Memory-R1",
  differs: [
    "both learn at once, the manager within groups and the answerer with a critic",
    "the answerer sees the whole memory, not what a retriever found in it",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, lambda: 0.95, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, lambda, steps, learningRate }) => [
    rewardStage({
      rollout: parts.managedMemory(ROLES, groupSize),
      reward: parts.outcome(),
      advantage: parts.byRole({
        [ROLES.manager]: parts.broadcastTurns(),
        [ROLES.answerer]: parts.gae({ lambda }),
      }),
      losses: [
        parts.pgClip(epsilon),
        { loss: parts.lossOfRole(ROLES.answerer, parts.critic()), weight: parts.CRITIC_WEIGHT },
      ],
      state: {
        "memory-bank": parts.ownMemory,
        "role-adapters": parts.roleAdapters(Object.values(ROLES)),
        critic: parts.valueHead,
      },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
