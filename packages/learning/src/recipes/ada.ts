/**
 * AdA: several rollouts at one task in one context, on tasks at the frontier, so that what is learned is
 * to adapt.
 *
 * Source: "Human-Timescale Adaptation in an Open-Ended Task Space", arXiv:2301.07608.
 * Differs from it: the memory is the context itself; the last rollout is the one that is paid; no distillation from earlier generations.
 * Why: the nano context holds a few trials, and a generation's distillation would be a second run.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const ada: CreateRecipe = recipe({
  name: "ada",
  literature: "AdA",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the memory is the context itself",
    "the last rollout is the one that is paid",
    "no distillation from earlier generations",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, trialsMost: 2, pool: 96 },
  stages: ({ groupSize, epsilon, steps, learningRate, trialsMost, pool }) => [
    rewardStage({
      rollout: parts.trials(trialsMost, groupSize),
      filters: [parts.passRateBand(), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "task-stats": parts.taskStats() },
      schedule: [parts.difficultyCurriculum()],
      steps,
      settings: { tasksPerStep: 12, learningRate, taskPool: pool },
    }),
  ],
});
