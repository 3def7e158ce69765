/**
 * TT-SI: at test time, where the policy is unsure of a task, it learns for a moment from tasks like it,
 * and is then as it was.
 *
 * Source: "Self-Improving LLM Agents at Test-Time" (S299).
 * Differs from it: tasks like one are of its level, drawn and not written by a model; how sure the
 * policy is, is the mean probability of what it says.
 * Why: tasks of a level have exact verifiers, and probabilities are at hand.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const ttSi: CreateRecipe = recipe({
  name: "tt-si",
  literature: "TT-SI",
  differs: [
    "tasks like one are of its level, drawn and not written by a model",
    "how sure the policy is, is the mean probability of what it says",
  ],
  schedule: ["one"],
  settings: { neighbors: 4, below: 0.9, mistakes: 0, steps: 1, learningRate: 3e-3 },
  stages: ({ neighbors, below, mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.casesAndNeighbors(neighbors),
      filters: [parts.unsure(below)],
      losses: [parts.crossEntropy()],
      state: { teacher: parts.demonstrators(mistakes) },
      schedule: [parts.testTime("task")],
      steps,
      settings: { tasksPerStep: 1, learningRate },
    }),
  ],
});
