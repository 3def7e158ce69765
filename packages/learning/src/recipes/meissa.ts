/**
 * Meissa: the teacher is imitated only where the student fails.
 *
 * Source: "Meissa: Multi-modal Medical Agentic Intelligence" (S227).
 * Differs from it: two tiers: the student's own rollouts and the teacher's.
 * Why: no third model is there.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const meissa: CreateRecipe = recipe({
  name: "meissa",
  literature: "Meissa",
  differs: ["two tiers: the student's own rollouts and the teacher's"],
  schedule: ["sft"],
  settings: { students: 2, mistakes: 0, steps: 25, learningRate: 3e-3 },
  stages: ({ students, mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teacherDemos({ students }),
      filters: [parts.studentFail()],
      state: { teacher: parts.demonstrators(mistakes) },
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
