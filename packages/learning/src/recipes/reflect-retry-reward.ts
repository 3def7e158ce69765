/**
 * Reflect, Retry, Reward: a failed rollout is told so and tries again; only what was said after the
 * failure is learned.
 *
 * Source: "Reflect, Retry, Reward: Self-Improving LLMs via Reinforcement Learning", arXiv:2505.24726.
 * Differs from it: what follows the failure is learned, the second rollout included: turns do not tell
 * a reflection from it; second rollouts are compared with all others of the step, not of their task.
 * Why: only failed rollouts are tried again, so that a task has few second rollouts to compare.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import type { JudgedTrajectory, JudgedTurn } from "../composition/judged-trajectory.ts";

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

export const reflectRetryReward: CreateRecipe = recipe({
  name: "reflect-retry-reward",
  literature: "Reflect, Retry, Reward",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "what follows the failure is learned, the second rollout included: turns do not tell a reflection from it",
    "second rollouts are compared with all others of the step, not of their task",
  ],
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
