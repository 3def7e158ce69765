/** Easy tasks or short horizons first. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * ScalingInter-RL: few turns at first, more by schedule; no start from demonstrations.
 *
 * Source: Xi et al. 2025, "AgentGym-RL", arXiv:2509.08755.
 * Differs from it: token-mean over the minibatch; groups without a signal are rolled out again.
 * Why: a token mean keeps long trajectories from weighing less, and a nano model's groups are often all right or
 * all wrong.
 */
const scalingInterRl: CreateRecipe = recipe({
  name: "scaling-inter-rl",
  literature: "ScalingInter-RL",
  differs: ["token-mean over the minibatch", "groups without a signal are rolled out again"],
  mechanism: "whole",
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
 * ARM-Thinker: reinforcement in two stages, easy tasks first.
 *
 * Source: "ARM-Thinker: Reinforcing Multimodal Generative Reward Models with Agentic Tool Use and
 * Visual Reasoning" (S083).
 * Differs from it: what is learned is a policy that acts, not a reward model that uses tools; stages
 * differ in difficulty, as the abstract does not say in what.
 * Why: verifiers are exact, so that a model of rewards would have nothing to add.
 */
const armThinker: CreateRecipe = recipe({
  name: "arm-thinker",
  literature: "ARM-Thinker",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "what is learned is a policy that acts, not a reward model that uses tools",
    "stages differ in difficulty, as the abstract does not say in what",
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
 * Kimi-Dev: short skills by reinforcement first, whole tasks by light imitation after.
 *
 * Source: "Kimi-Dev: Agentless Training as Skill Prior for SWE-Agents", arXiv:2509.23045.
 * Differs from it: a skill is a task of the easiest level.
 * Why: a skill that is a whole task can be verified.
 */
const kimiDev: CreateRecipe = recipe({
  name: "kimi-dev",
  literature: "Kimi-Dev",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
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
