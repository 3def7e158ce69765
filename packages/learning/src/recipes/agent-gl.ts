/**
 * AgentGL: a curriculum from easy tasks to all of them, with calls that cost.
 *
 * Source: "AgentGL: Towards Agentic Graph Learning with LLMs via Reinforcement Learning" (S042).
 * Differs from it: tasks come from a pool, so that pass rates are known; tasks around a pass rate are chosen within the curriculum's levels, in place of
 * conditions on a graph.
 * Why: a pass rate needs rollouts at the same task again, and this project's environments are no graphs.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const agentGl: CreateRecipe = recipe({
  name: "agent-gl",
  literature: "AgentGL",
  differs: [
    "tasks come from a pool, so that pass rates are known",
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "tasks around a pass rate are chosen within the curriculum's levels, in place of conditions on a graph",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, callCost: 0.05, pool: 96 },
  stages: ({ groupSize, epsilon, steps, learningRate, callCost, pool }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.passRateBand(), parts.mixedGroup()],
      reward: parts.weighted([
        [parts.outcome(), { standard: 0.5 }],
        [parts.economy({ toolCall: callCost }), { standard: 0.5 }],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "task-stats": parts.taskStats() },
      schedule: [parts.difficultyCurriculum()],
      steps,
      settings: { tasksPerStep: 12, learningRate, taskPool: pool },
    }),
  ],
});
