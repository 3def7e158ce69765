/**
 * Training-Free GRPO: the advantage of a group is a comparison in words, and what is updated is a library of
 * lessons that stands before the task. No parameter moves.
 *
 * Source: Cai et al. 2025, "Training-Free Group Relative Policy Optimization", arXiv:2510.08191.
 * Differs from it: one call of the writer a group, where the paper summarises each rollout first.
 * Why: one call a group is what a writer that pages share can be asked.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { writingStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const trainingFreeGrpo: CreateRecipe = recipe({
  name: "training-free-grpo",
  literature: "Training-Free GRPO",
  differs: ["one call of the writer a group, where the paper summarises each rollout first"],
  schedule: ["rounds"],
  settings: { groupSize: 5, tasks: 4, lessons: 16, steps: 4, rounds: 3 },
  stages: ({ groupSize, tasks, lessons, steps }) => [
    writingStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      credit: parts.semantic(),
      how: parts.lessonEdits(),
      state: {
        experience: parts.experience("whole", { limits: { entries: lessons, characters: 300 } }),
      },
      steps,
      // Each round meets the same tasks again.
      settings: { tasksPerStep: tasks, taskPool: tasks * steps },
    }),
  ],
});
