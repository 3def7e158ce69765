/**
 * FireAct: a teacher shows tasks by several ways of prompting, and what succeeded is imitated in
 * equal shares.
 *
 * Source: "FireAct: Toward Language Agent Fine-tuning", arXiv:2310.05915.
 * Differs from it: a way of prompting is a sentence of the system message.
 * Why: a sentence is all that tells ways of prompting apart in one format.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

const METHODS = ["", "Be brief."];

export const fireAct: CreateRecipe = recipe({
  name: "fire-act",
  literature: "FireAct",
  differs: ["a way of prompting is a sentence of the system message"],
  schedule: ["sft"],
  settings: { kept: 12, mistakes: 0.3, steps: 25, learningRate: 3e-3 },
  stages: ({ kept, mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teacherDemos({ modes: METHODS }),
      filters: [
        parts.success(),
        parts.diversityMix(
          Object.fromEntries(METHODS.map((method) => [method, 1])),
          kept,
          ({ trajectory }) => trajectory.mode ?? "",
        ),
      ],
      state: { teacher: parts.demonstrators(mistakes) },
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
