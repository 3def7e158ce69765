/**
 * CMAT: an assistant answers, a checker reads the answer and answers again; what the environment confirmed
 * of either is imitated by the one policy that plays both, and remembered for requests like it.
 *
 * Source: Liang et al. 2024, "CMAT: A Multi-Agent Collaboration Tuning Framework for Enhancing Small Language
 * Models", arXiv:2404.01663.
 * Differs from it: the environment says what is right, the checker has no word in it; the memory is text
 * that is recalled by shared words; the user is the task.
 * Why: verifiers are exact, and a memory by shared words needs no second model.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

const ROLES = ["assistant", "checker"] as const;

export const cmat: CreateRecipe = recipe({
  name: "cmat",
  literature: "CMAT",
  differs: [
    "the environment says what is right, the checker has no word in it",
    "the memory is text that is recalled by shared words",
    "the user is the task",
  ],
  schedule: ["rounds"],
  settings: { teams: 4, recalled: 2, least: 0.5, steps: 6, rounds: 3, learningRate: 3e-3 },
  stages: ({ teams, recalled, least, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teamOf({
        ...{ how: "relay", roles: ROLES, size: teams },
        sentences: { checker: "Check the answer." },
      }),
      filters: [parts.remembered(least), parts.success()],
      reward: parts.outcome(),
      losses: [parts.crossEntropy()],
      state: { "memory-bank": parts.workingMemory(recalled) },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
