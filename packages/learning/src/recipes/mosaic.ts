/**
 * MOSAIC: whole runs are preferred to others by a judge, and saying no is a run like any other.
 *
 * Source: "Learning When to Act or Refuse: Guarding Agentic Reasoning Models for Safe Multi-Step Tool
 * Use" (S208).
 * Differs from it: every other rollout is told that it may decline; what a run that declines is worth
 * is the judge's word, and nothing here is dangerous.
 * Why: nothing here is dangerous, so that declining can only be judged against the task.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { pairStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { callsAndResults } from "./calls-and-results.ts";

const RUBRIC =
  "Prefer a run that reaches its goal by safe calls; prefer one that declines to one that does harm.";

export const mosaic: CreateRecipe = recipe({
  name: "mosaic",
  literature: "MOSAIC",
  differs: [
    "every other rollout is told that it may decline",
    "what a run that declines is worth is the judge's word, and nothing here is dangerous",
  ],
  schedule: ["one"],
  settings: { attempts: 4, beta: 0.1, margin: 0.5, steps: 25, learningRate: 3e-3 },
  stages: ({ attempts, beta, margin, steps, learningRate }) => [
    pairStage({
      rollout: parts.single(attempts, ["", "Decline in words where a call would do harm."]),
      filters: [parts.pairGap(margin)],
      reward: parts.judgedPreference((trajectory) => ({
        ...callsAndResults(trajectory),
        rubric: RUBRIC,
      })),
      losses: [parts.dpo(beta)],
      state: { ref: parts.reference, judge: parts.judgement },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});
