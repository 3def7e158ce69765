/** Recipes that keep the policy exploring: temperature and clip bounds. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import type { RewardedTrajectory } from "../../composition/part.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * AceReason: a strong start from demonstrations, then reinforcement learning at a temperature that keeps the token
 * entropy near a target.
 *
 * Source: Liu et al. 2025, "AceReason-Nemotron 1.1", arXiv:2506.13284.
 * Differs from it: the temperature follows the entropy of the step before.
 * Why: all tokens of a step are sampled at one temperature, and their entropy is known after the step.
 */
const aceReason: CreateRecipe = recipe({
  name: "ace-reason",
  literature: "AceReason",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the temperature follows the entropy of the step before",
  ],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    entropy: 0.3,
    gain: 0.5,
    least: 0.5,
    most: 1.5,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, entropy, gain, least, most }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.measuredEntropy({ target: entropy, gain, least, most }), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { temperature: parts.temperature() },
      schedule: [parts.temperatureTarget()],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

const SHORT_TURNS = 2;

function shortOrLong({ trajectory }: RewardedTrajectory): string {
  return trajectory.turns.length <= SHORT_TURNS ? "short" : "long";
}

/**
 * Open-AgentRL: an asymmetric clip, a penalty near the length limit, tasks chosen by the policy's current ability,
 * and diverse demonstrations.
 *
 * Source: "Demystifying Reinforcement Learning in Agentic Reasoning", arXiv:2510.11701.
 * Differs from it: tasks come from a pool, so that pass rates are known; diversity is a fixed ratio of short and
 * long demonstrations.
 * Why: a pass rate needs repeated rollouts at a task.
 */
const openAgentRl: CreateRecipe = recipe({
  name: "open-agent-rl",
  literature: "Open-AgentRL preset",
  differs: [
    "tasks come from a pool, so that pass rates are known",
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "diversity is a fixed ratio of short and long demonstrations",
  ],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    limit: 160,
    buffer: 96,
    diverse: 24,
    pool: 96,
  },
  stages: ({
    groupSize,
    epsilon,
    startSteps,
    steps,
    learningRate,
    limit,
    buffer,
    diverse,
    pool,
  }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      filters: [parts.diversityMix({ short: 1, long: 1 }, diverse, shortOrLong)],
    }),
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.passRateBand(), parts.mixedGroup()],
      reward: parts.weighted([
        [parts.outcome(), { default: 1 }],
        [parts.overlong(limit, buffer), { default: 1 }],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.clipHigh(epsilon, epsilon + 0.08)],
      state: { "task-stats": parts.taskStats() },
      steps,
      settings: { tasksPerStep: 12, learningRate, taskPool: pool },
    }),
  ],
});

export const ENTROPY_RECIPES: readonly CreateRecipe[] = [aceReason, openAgentRl];
