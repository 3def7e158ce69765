/** Reinforcement in conversations with a user. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { rememberedUser } from "../../rollouts/folded.ts";

/**
 * MUA-RL: a simulated user takes part in the trajectory; the user's messages carry no loss.
 *
 * Source: "MUA-RL: Multi-turn User-interacting Agent Reinforcement Learning for agentic tool use",
 * arXiv:2508.18669.
 * Differs from it: the user follows rules and is not played by a model.
 * Why: a rule-based user treats every compared policy alike.
 */
const muaRl: CreateRecipe = recipe({
  name: "mua-rl",
  literature: "MUA-RL",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the user follows rules and is not played by a model",
  ],
  mechanism: "partial",
  needs: ["user"],
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
 * PersonaMem-v2: users reveal their wishes step by step, and the policy has a memory of the conversation instead of
 * the conversation itself.
 *
 * Source: "PersonaMem-v2: Towards Personalized Intelligence via Learning Implicit User Personas and Agentic Memory"
 * (S260).
 * Differs from it: the memory is written by rule: the questions and the user's answers; an implicit wish is one
 * that the user states only when asked; the user follows rules and is not played by a model.
 * Why: a rule-based memory and user treat every compared policy alike.
 */
const personaMemV2: CreateRecipe = recipe({
  name: "persona-mem-v2",
  literature: "PersonaMem-v2",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the memory is written by rule: the questions and the user's answers",
    "an implicit wish is one that the user states only when asked",
    "the user follows rules and is not played by a model",
  ],
  mechanism: "partial",
  needs: ["user"],
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
