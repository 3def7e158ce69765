/**
 * Open-AgentRL: an asymmetric clip, a penalty near the length limit, tasks by what the policy can do
 * now, a diverse set of demonstrations.
 *
 * Source: "Demystifying Reinforcement Learning in Agentic Reasoning", arXiv:2510.11701.
 * Differs from it: tasks come from a pool, so that pass rates are known; diversity is an exact ratio of short and long demonstrations.
 * Why: a pass rate needs rollouts at the same task again.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import type { RewardedTrajectory } from "../composition/part.ts";

const SHORT_TURNS = 2;

function shortOrLong({ trajectory }: RewardedTrajectory): string {
  return trajectory.turns.length <= SHORT_TURNS ? "short" : "long";
}

export const openAgentRl: CreateRecipe = recipe({
  name: "open-agent-rl",
  literature: "Open-AgentRL preset",
  differs: [
    "tasks come from a pool, so that pass rates are known",
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "diversity is an exact ratio of short and long demonstrations",
  ],
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
        [parts.outcome(), { standard: 1 }],
        [parts.overlong(limit, buffer), { standard: 1 }],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.clipHigh(epsilon, epsilon + 0.08)],
      state: { "task-stats": parts.taskStats() },
      steps,
      settings: { tasksPerStep: 12, learningRate, taskPool: pool },
    }),
  ],
});
