/**
 * AgentMath: rollouts are cut after some turns, kept, and gone on with under the newer policy; groups learn
 * when all of theirs have ended.
 *
 * Source: "AgentMath: Empowering Mathematical Reasoning for Large Language Models via Tool-Augmented Agent"
 * (S060).
 * Differs from it: the cut is by turns; one process: no prefix is routed anywhere; ratios are to the policy of the step, weighed by truncated ratios to those that sampled.
 * Why: turns are where a recorded rollout can go on, and one process has one cache.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const agentMath: CreateRecipe = recipe({
  name: "agent-math",
  literature: "AgentMath",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the cut is by turns",
    "one process: no prefix is routed anywhere",
    "ratios are to the policy of the step, weighed by truncated ratios to those that sampled",
  ],
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
      rollout: parts.asynchronous(parts.partialRollouts(turns, mostTurns, groupSize)),
      filters: [parts.finishedGroups(mostTurns), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.truncatedImportance(parts.pgClip(epsilon), cap)],
      state: { "rest-buffer": parts.unfinishedGroups },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
