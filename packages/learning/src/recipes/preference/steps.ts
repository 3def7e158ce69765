/** Preferences between single steps. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import type { JudgedTrajectory } from "../../composition/judged-trajectory.ts";
import { pairStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { equivalenceReward } from "../../rewards/call-equivalence.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/** 1 if the action at the branch equals the stored action, else 0. */
function likeStored({ turns, branch }: JudgedTrajectory): number {
  return equivalenceReward(turns.at(-1)?.toolCalls ?? [], branch?.original?.toolCalls ?? []);
}

/**
 * MATRIX: verified demonstrations of whole trajectories first, then preferences between single steps.
 *
 * Source: "MATRIX: Multimodal Agent Tuning for Robust Tool-Use Reasoning" (S224).
 * Differs from it: the preferred call at a step is the one that matches the stored call; stored trajectories are
 * demonstrations at first, and the policy's continuations are stored too.
 * Why: calls compare exactly, and a policy that differs from the demonstrations must learn from its own states.
 */
const matrix: CreateRecipe = recipe({
  name: "matrix",
  literature: "MATRIX",
  differs: [
    "the preferred call at a step is the one that matches the stored call",
    "stored trajectories are demonstrations at first, and the policy's continuations are stored too",
  ],
  mechanism: "partial",
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

/**
 * IPR: compares each step of an expert trajectory with the policy's own step at the same place, by the results of
 * continuing both; where the expert's is better, it is preferred and imitated.
 *
 * Source: Xiong et al. 2024, "Watch Every Step! LLM Agent Learning via Iterative Step-Level Process Refinement",
 * arXiv:2406.11176.
 * Differs from it: one place of a trajectory is compared at a time; continuations are the policy's own, not a
 * scorer's.
 * Why: one place per trajectory keeps the number of rollouts within the budget, and the value of a place depends on
 * the policy's own endings.
 */
const ipr: CreateRecipe = recipe({
  name: "ipr",
  literature: "IPR",
  differs: [
    "one place of a trajectory is compared at a time",
    "continuations are the policy's own, not a scorer's",
  ],
  mechanism: "whole",
  schedule: ["rounds"],
  settings: {
    continuations: 3,
    margin: 0.1,
    beta: 0.1,
    imitation: 0.5,
    rounds: 2,
    steps: 12,
    learningRate: 3e-3,
  },
  stages: ({ continuations, margin, beta, imitation, steps, learningRate }) => [
    pairStage({
      rollout: parts.stepReplay(continuations),
      filters: [parts.forks(margin, "rest", ({ role }) => role === "expert")],
      reward: parts.outcome(),
      advantage: parts.monteCarlo(),
      losses: [parts.dpo(beta), { loss: parts.chosenCrossEntropy(), weight: imitation }],
      state: { ref: parts.reference },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});

export const STEP_RECIPES: readonly CreateRecipe[] = [matrix, ipr];
