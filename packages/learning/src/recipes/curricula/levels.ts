/** Easy tasks or short horizons first. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * ScalingInter-RL: starts with a short turn limit that grows by schedule, without demonstrations.
 *
 * Source: Xi et al. 2025, "AgentGym-RL", arXiv:2509.08755.
 * Differs from it: the loss is a token mean over the minibatch; groups with equal rewards are rolled out again.
 * Why: a token mean gives long trajectories their full weight, and groups of a nano model often have equal rewards.
 */
const scalingInterRl: CreateRecipe = recipe({
  name: "scaling-inter-rl",
  literature: "ScalingInter-RL",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
  ],
  mechanism: "whole",
  needs: ["long-path"],
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

/**
 * ARM-Thinker: reinforcement learning in two stages, with easy tasks first.
 *
 * Source: "ARM-Thinker: Reinforcing Multimodal Generative Reward Models with Agentic Tool Use and Visual Reasoning"
 * (S083).
 * Differs from it: it trains an acting policy, not a reward model that uses tools; the stages differ in difficulty,
 * because the abstract does not name the difference.
 * Why: verifiers are exact, so a reward model would add nothing.
 */
const armThinker: CreateRecipe = recipe({
  name: "arm-thinker",
  literature: "ARM-Thinker",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "it trains an acting policy, not a reward model that uses tools",
    "the stages differ in difficulty, because the abstract does not name the difference",
  ],
  mechanism: "nominal",
  schedule: ["stages"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, easySteps: 8 },
  stages: ({ groupSize, epsilon, steps, learningRate, easySteps }) => [
    groupReinforcement({
      groupSize,
      name: "easy",
      loss: parts.pgClip(epsilon),
      steps: easySteps,
      learningRate,
      difficulty: 0,
    }),
    groupReinforcement({
      groupSize,
      name: "all",
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

/**
 * Kimi-Dev: reinforcement learning of short skills, then light imitation of whole tasks.
 *
 * Source: "Kimi-Dev: Agentless Training as Skill Prior for SWE-Agents", arXiv:2509.23045.
 * Differs from it: a skill is a task of the easiest level.
 * Why: a skill that is a whole task can be verified.
 */
const kimiDev: CreateRecipe = recipe({
  name: "kimi-dev",
  literature: "Kimi-Dev",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "a skill is a task of the easiest level",
  ],
  mechanism: "nominal",
  schedule: ["skill-first"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    groupReinforcement({
      groupSize,
      name: "skills",
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
      difficulty: 0,
    }),
    demonstrationStart({ steps: startSteps, learningRate, name: "tasks" }),
  ],
});

export const LEVEL_RECIPES: readonly CreateRecipe[] = [scalingInterRl, armThinker, kimiDev];
