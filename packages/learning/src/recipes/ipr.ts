/**
 * IPR: along the runs of an expert each step is compared with the policy's own at the same place, by what
 * comes of going on from both; where the expert's is better, its way is preferred and imitated.
 *
 * Source: Xiong et al. 2024, "Watch Every Step! LLM Agent Learning via Iterative Step-Level Process
 * Refinement", arXiv:2406.11176.
 * Differs from it: one place of a run is compared at a time; continuations are the policy's own, not a
 * scorer's.
 * Why: one place a run keeps the number of rollouts what the budget says, and the policy's own ends are what
 * its place is worth.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { pairStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const ipr: CreateRecipe = recipe({
  name: "ipr",
  literature: "IPR",
  differs: [
    "one place of a run is compared at a time",
    "continuations are the policy's own, not a scorer's",
  ],
  schedule: ["rounds"],
  settings: {
    ...{ continuations: 3, margin: 0.1, beta: 0.1, imitation: 0.5 },
    ...{ rounds: 2, steps: 12, learningRate: 3e-3 },
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
