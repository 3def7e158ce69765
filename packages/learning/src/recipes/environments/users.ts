/** Reinforcement in conversations with a user. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { rememberedUser } from "../../rollouts/folded.ts";

/**
 * MUA-RL: a simulated user speaks inside the trajectory, and what it says carries no loss.
 *
 * Source: "MUA-RL: Multi-turn User-interacting Agent Reinforcement Learning for agentic tool use",
 * arXiv:2508.18669.
 * Differs from it: the user follows rules, no model plays it.
 * Why: a user by rule says the same again to every policy that is compared.
 */
const muaRl: CreateRecipe = recipe({
  name: "mua-rl",
  literature: "MUA-RL",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the user follows rules, no model plays it",
  ],
  mechanism: "partial",
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

/**
 * PersonaMem-v2: what a user wants is said bit by bit, and the policy has a memory of what was said in the
 * place of the conversation.
 *
 * Source: "PersonaMem-v2: Towards Personalized Intelligence via Learning Implicit User Personas and Agentic
 * Memory" (S260).
 * Differs from it: the memory is written by rule: what was asked and what the user said; what is implicit is what the user says only when asked; the user follows rules, no model plays it.
 * Why: a rule remembers the same, and a user by rule says the same, to every policy that is compared.
 */
const personaMemV2: CreateRecipe = recipe({
  name: "persona-mem-v2",
  literature: "PersonaMem-v2",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the memory is written by rule: what was asked and what the user said",
    "what is implicit is what the user says only when asked",
    "the user follows rules, no model plays it",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: rememberedUser(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.broadcastTurns(),
      losses: [parts.pgClip(epsilon)],
      state: { "memory-bank": parts.notes, "world-model": parts.ownSimulator },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

export const USER_RECIPES: readonly CreateRecipe[] = [muaRl, personaMemV2];
