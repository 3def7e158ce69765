/**
 * Flow-GRPO: the planner acts in the flow, each turn from a memory in the place of the history, and each turn
 * is a short sample that carries the advantage of its rollout; other modules stay as they are.
 *
 * Source: Li et al. 2025, "In-the-Flow Agentic System Optimization for Effective Planning and Tool Use",
 * arXiv:2510.05592.
 * Differs from it: the memory is written by rule: a line a call with its result; the planner is whoever calls; the turn that answers is left as it is.
 * Why: a rule remembers the same in every run, and the answer is what the memory is for.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const flowGrpo: CreateRecipe = recipe({
  name: "flow-grpo",
  literature: "Flow-GRPO",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the memory is written by rule: a line a call with its result",
    "the planner is whoever calls; the turn that answers is left as it is",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.rememberedGroup(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.broadcastTurns(),
      losses: [parts.spanMask(parts.pgClip(epsilon), ({ toolCalls }) => toolCalls.length > 0)],
      state: { "memory-bank": parts.notes },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
