/** Reinforcement of single turns that start from stored trajectories, and of retries. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import type { JudgedTrajectory, JudgedTurn } from "../../composition/judged-trajectory.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * PivotRL: trains single turns of stored trajectories at which sampled actions differ, with a reward for matching
 * the stored action.
 *
 * Source: "PivotRL: High Accuracy Agentic Post-Training at Low Compute Cost" (S262).
 * Differs from it: stored trajectories are demonstrations at first; the policy's own actions are stored too and
 * replace them over time.
 * Why: otherwise the demonstrations become tasks that the policy no longer meets.
 */
const pivotRl: CreateRecipe = recipe({
  name: "pivot-rl",
  literature: "PivotRL",
  differs: [
    "the loss is a token mean over the minibatch",
    "stored trajectories are demonstrations at first; the policy's own actions are stored too and replace them over time",
  ],
  mechanism: "whole",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.pivot(groupSize),
      filters: [parts.pivotVariance()],
      reward: parts.equivalent(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * ToolCUA: trains single turns of stored trajectories first, then whole trajectories with a path-efficiency reward.
 *
 * Source: "ToolCUA: Towards Optimal GUI-Tool Path Orchestration for Computer Use Agents" (S327).
 * Differs from it: every turn with a call is a decision point; stored trajectories are demonstrations at first, and
 * the policy's continuations are stored too.
 * Why: a policy that differs from the demonstrations must learn from its own states.
 */
const toolCua: CreateRecipe = recipe({
  name: "tool-cua",
  literature: "ToolCUA",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "every turn with a call is a decision point",
    "stored trajectories are demonstrations at first, and the policy's continuations are stored too",
  ],
  mechanism: "partial",
  needs: ["several-calls"],
  schedule: ["sft-rl", "stages"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    pivotSteps: 8,
    callCost: 0.05,
    bonus: 0.2,
  },
  stages: ({
    groupSize,
    epsilon,
    startSteps,
    steps,
    learningRate,
    pivotSteps,
    callCost,
    bonus,
  }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.pivot(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.equivalent(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      name: "turns",
      steps: pivotSteps,
      settings: { tasksPerStep: 12, learningRate },
    }),
    groupReinforcement({
      groupSize,
      name: "paths",
      reward: parts.gate(
        parts.weighted([
          [parts.outcome(), { default: 0.5 }],
          [parts.economy({ toolCall: callCost }), { default: 0.5 }],
        ]),
        parts.callBonus(bonus),
      ),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

/** True for turns after one that ended in words and yet did not end the task. */
function isAfterFailure(turn: JudgedTurn, { turns }: JudgedTrajectory): boolean {
  const failed = turns.findIndex(
    ({ toolCalls, parseError }, i) =>
      toolCalls.length === 0 && parseError === null && i < turns.length - 1,
  );
  return failed >= 0 && turns.indexOf(turn) > failed;
}

/** True of rollouts that failed first, and heard so. */
function isRetried(trajectory: JudgedTrajectory): boolean {
  return trajectory.turns.some((turn) => isAfterFailure(turn, trajectory));
}

/**
 * Reflect, Retry, Reward: after a failure, the policy is told that it failed and tries again; only the tokens after
 * the failure are trained.
 *
 * Source: "Reflect, Retry, Reward: Self-Improving LLMs via Reinforcement Learning", arXiv:2505.24726.
 * Differs from it: all tokens after the failure are trained, including the retry, because turns do not separate it
 * from the reflection; retries are compared with all others of the step, not of their task.
 * Why: only failed rollouts are tried again, so a task has few retries to compare.
 */
const reflectRetryReward: CreateRecipe = recipe({
  name: "reflect-retry-reward",
  literature: "Reflect, Retry, Reward",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "all tokens after the failure are trained, including the retry, because turns do not separate it from the reflection",
    "retries are compared with all others of the step, not of their task",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.retry("That failed. Say why, then try again.", groupSize),
      filters: [parts.rolloutsThat(isRetried, "retried"), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.spanMask(parts.pgClip(epsilon), isAfterFailure)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

export const STORED_STEP_RECIPES: readonly CreateRecipe[] = [pivotRl, toolCua, reflectRetryReward];
