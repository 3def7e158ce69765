/**
 * MATRIX: verified demonstrations of whole runs first, then preferences of single steps.
 *
 * Source: "MATRIX: Multimodal Agent Tuning for Robust Tool-Use Reasoning" (S224).
 * Differs from it: what is preferred at a step is the call that does what the stored one did; stored runs are
 * demonstrations at first, and what the policy did from them is stored too.
 * Why: sameness of calls is exact, and a policy that has left the demonstrations must learn from where it is.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { pairStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { equivalenceReward } from "../rewards/call-equivalence.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";

/** 1 where the action that left a stored turn does what was done there. */
function likeStored({ turns, branch }: JudgedTrajectory): number {
  return equivalenceReward(turns.at(-1)?.toolCalls ?? [], branch?.original?.toolCalls ?? []);
}

export const matrix: CreateRecipe = recipe({
  name: "matrix",
  literature: "MATRIX",
  differs: [
    "what is preferred at a step is the call that does what the stored one did",
    "stored runs are demonstrations at first, and what the policy did from them is stored too",
  ],
  schedule: ["sft-pref"],
  settings: { size: 4, beta: 0.1, margin: 0.3, startSteps: 5, steps: 25, learningRate: 3e-3 },
  stages: ({ size, beta, margin, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.verify()],
    }),
    pairStage({
      rollout: parts.pivot(size),
      filters: [parts.pairGap(margin)],
      reward: parts.preference((a, b) => likeStored(a) - likeStored(b)),
      losses: [parts.dpo(beta)],
      state: { ref: parts.reference },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});
