/**
 * EEF: runs that the expert failed are gone on from, and of what succeeds the parts without failures
 * are imitated.
 *
 * Source: "Exploring Expert Failures Improves LLM Agent Tuning" (S149).
 * Differs from it: places to go on from are drawn, not chosen; the expert is the environment's
 * demonstrator with mistakes.
 * Why: a place is as good as another in trajectories of a few turns, and no expert is there but the demonstrator.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const eef: CreateRecipe = recipe({
  name: "eef",
  literature: "EEF",
  differs: [
    "places to go on from are drawn, not chosen",
    "the expert is the environment's demonstrator with mistakes",
  ],
  schedule: ["rounds"],
  settings: { mistakes: 0.3, size: 4, rounds: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, size, steps, learningRate }) => [
    tokenStage({
      name: "expert",
      rollout: parts.teacherDemos(),
      filters: [parts.success(), parts.stepMask()],
      reward: parts.outcome(),
      state: { teacher: parts.demonstrators(mistakes) },
      losses: [parts.maskedCrossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
    tokenStage({
      name: "failures",
      rollout: parts.prefixReplay("failed", size),
      filters: [parts.success(), parts.stepMask()],
      reward: parts.outcome(),
      losses: [parts.maskedCrossEntropy()],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
