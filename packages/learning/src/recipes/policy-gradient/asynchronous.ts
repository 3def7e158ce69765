/** Sampling that does not wait for the update: older policies, cut trajectories, corrected ratios. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { unfinishedGroups } from "../../states/resources.ts";
import { partialRollouts } from "../../rollouts/partial-rollout.ts";
import { finishedGroups } from "../../filters/unfinished.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * ASearcher: asynchronous rollouts that never wait for the slowest and may be very long.
 *
 * Source: "Beyond Ten Turns: Unlocking Long-Horizon Agentic Search with Large-Scale Asynchronous RL",
 * arXiv:2508.07976.
 * Differs from it: the staleness is a fixed number of updates, corrected by truncated weights.
 * Why: a fixed staleness can be repeated from a seed.
 */
const asearcher: CreateRecipe = recipe({
  name: "asearcher",
  literature: "ASearcher",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the staleness is a fixed number of updates, corrected by truncated weights",
  ],
  mechanism: "nominal",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, lag: 1, mostTurns: 32 },
  stages: ({ groupSize, epsilon, steps, learningRate, lag, mostTurns }) => [
    rewardStage({
      rollout: parts.asynchronous(parts.group(groupSize)),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.truncatedImportance(parts.pgClip(epsilon))],
      steps,
      settings: { tasksPerStep: 12, learningRate, lag, maxTurns: mostTurns },
    }),
  ],
});

/**
 * Polar: plain GRPO on a stream of trajectories from a stale policy.
 *
 * Source: "Polar: Agentic RL on Any Harness at Scale" (S266).
 * Differs from it: the staleness is a fixed number of updates, corrected by truncated weights.
 * Why: a fixed staleness can be repeated from a seed.
 */
const polar: CreateRecipe = recipe({
  name: "polar",
  literature: "Polar GRPO",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the staleness is a fixed number of updates, corrected by truncated weights",
  ],
  mechanism: "nominal",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, lag: 1, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, lag, steps, learningRate }) => [
    rewardStage({
      rollout: parts.asynchronous(parts.group(groupSize)),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.truncatedImportance(parts.pgClip(epsilon))],
      steps,
      settings: { tasksPerStep: 12, learningRate, lag },
    }),
  ],
});

/**
 * VerlTool: asynchronous scheduling of single rollouts from an older policy; tool output carries no loss.
 *
 * Source: "VerlTool: Towards Holistic Agentic Reinforcement Learning with Tool Use", arXiv:2509.01055.
 * Differs from it: the staleness is a fixed number of updates, corrected by truncated weights.
 * Why: a fixed staleness can be repeated from a seed.
 */
const verlTool: CreateRecipe = recipe({
  name: "verl-tool",
  literature: "VerlTool ARLT",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the staleness is a fixed number of updates, corrected by truncated weights",
  ],
  mechanism: "nominal",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, lag: 1 },
  stages: ({ groupSize, epsilon, steps, learningRate, lag }) => [
    rewardStage({
      rollout: parts.asynchronous(parts.group(groupSize)),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.spanMask(parts.truncatedImportance(parts.pgClip(epsilon)))],
      steps,
      settings: { tasksPerStep: 12, learningRate, lag },
    }),
  ],
});

/**
 * DART: stale workers with truncated weights, stored successes, and priority for long trajectories and uncertain
 * turns.
 *
 * Source: "Efficient Multi-turn RL for GUI Agents via Decoupled Training and Adaptive Data Curation" (S135).
 * Differs from it: the staleness is a fixed number of updates; pass rates choose tasks of a pool, not the number of
 * rollouts for each.
 * Why: a fixed staleness can be repeated from a seed, and groups of equal size have equally reliable baselines.
 */
const dart: CreateRecipe = recipe({
  name: "dart",
  literature: "DART",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the staleness is a fixed number of updates",
    "pass rates choose tasks of a pool, not the number of rollouts for each",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    lag: 1,
    pool: 96,
    quantile: 0.2,
  },
  stages: ({ groupSize, epsilon, steps, learningRate, lag, pool, quantile }) => [
    rewardStage({
      rollout: parts.asynchronous(parts.group(groupSize)),
      filters: [
        parts.passRateBand(),
        parts.storedSuccess(),
        parts.mixedGroup(),
        parts.longTail(),
        parts.entropySteps(quantile),
      ],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.truncatedImportance(parts.pgClip(epsilon))],
      state: { "good-buffer": parts.goodBuffer(), "task-stats": parts.taskStats() },
      steps,
      settings: { tasksPerStep: 12, learningRate, lag, taskPool: pool },
    }),
  ],
});

/**
 * Duration-aware RL: turns are weighted by their duration, with partial rewards along the way.
 *
 * Source: "Reinforcement Learning for Machine Learning Engineering Agents" (S282).
 * Differs from it: the duration of a turn is its number of tokens, because trajectories hold no times; the
 * staleness is a fixed number of updates, corrected by truncated weights.
 * Why: times on a busy machine cannot be repeated, while token counts and a fixed staleness can.
 */
const durationAware: CreateRecipe = recipe({
  name: "duration-aware",
  literature: "Duration-aware RL",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the duration of a turn is its number of tokens, because trajectories hold no times",
    "the staleness is a fixed number of updates, corrected by truncated weights",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    lag: 1,
    secondsPerToken: 0.02,
  },
  stages: ({ groupSize, epsilon, steps, learningRate, lag, secondsPerToken }) => [
    rewardStage({
      rollout: parts.asynchronous(parts.group(groupSize)),
      filters: [parts.mixedGroup()],
      reward: parts.weighted([
        [parts.outcome(), { default: 0.5 }],
        [parts.progress("trajectory"), { default: 0.5 }],
      ]),
      advantage: parts.durationWeighted(({ trajectory }, turn) => {
        const { start, end } = trajectory.turns[turn] ?? { start: 0, end: 0 };
        return secondsPerToken * Math.max(1, end - start);
      }),
      losses: [parts.truncatedImportance(parts.pgClip(epsilon))],
      steps,
      settings: { tasksPerStep: 12, learningRate, lag },
    }),
  ],
});

/**
 * AgentMath: interrupts rollouts after some turns, stores them, and continues them with the newer policy; a group
 * is learned once all its rollouts have ended.
 *
 * Source: "AgentMath: Empowering Mathematical Reasoning for Large Language Models via Tool-Augmented Agent" (S060).
 * Differs from it: rollouts are interrupted between turns; one process, so prefixes need no routing; ratios are to
 * the policy at the step, weighted by truncated ratios to the sampling policies.
 * Why: a recorded rollout can continue after a turn, and one process has one cache.
 */
const agentMath: CreateRecipe = recipe({
  name: "agent-math",
  literature: "AgentMath",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "rollouts are interrupted between turns",
    "one process, so prefixes need no routing",
    "ratios are to the policy at the step, weighted by truncated ratios to the sampling policies",
  ],
  mechanism: "partial",
  needs: ["several-calls"],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    turns: 2,
    mostTurns: 8,
    cap: 2,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, turns, mostTurns, cap }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.verify()],
    }),
    rewardStage({
      rollout: parts.asynchronous(partialRollouts(turns, mostTurns, groupSize)),
      filters: [finishedGroups(mostTurns), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.truncatedImportance(parts.pgClip(epsilon), cap)],
      state: { "rest-buffer": unfinishedGroups },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

export const ASYNCHRONOUS_RECIPES: readonly CreateRecipe[] = [
  asearcher,
  polar,
  verlTool,
  dart,
  durationAware,
  agentMath,
];
