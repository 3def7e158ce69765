/**
 * SpotAgent: tasks that can be learned from are chosen as the policy goes on, after a start from
 * demonstrations.
 *
 * Source: "SpotAgent: Grounding Visual Geo-localization in Large Vision-Language Models through
 * Agentic Reasoning" (S311).
 * Differs from it: tasks come from a pool, so that pass rates are known; pass rates alone say what can be learned.
 * Why: a pass rate needs rollouts at the same task again.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const spotAgent: CreateRecipe = recipe({
  name: "spot-agent",
  literature: "SpotAgent",
  differs: [
    "tasks come from a pool, so that pass rates are known",
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "pass rates alone say what can be learned",
  ],
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3, pool: 96 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, pool }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.passRateBand(), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "task-stats": parts.taskStats() },
      steps,
      settings: { tasksPerStep: 12, learningRate, taskPool: pool },
    }),
  ],
});
