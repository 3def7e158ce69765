/**
 * SPICE: one model in two parts. The challenger reads documents and sets tasks that stand on what it read;
 * the reasoner solves them without ever seeing a document. A task is worth most where half of the tries are
 * right.
 *
 * Source: Liu et al. 2025, "SPICE: Self-Play In Corpus Environments Improves Reasoning", arXiv:2510.24684.
 * Differs from it: documents are lines of numbers and tasks are sums of them, whose answers are computed; the
 * challenger is paid 4p(1 − p), not by a bell around the variance of the answers; how a task is set is
 * demonstrated beside it.
 * Why: answers are then computed and not believed, and a nano model sets no task that it was never shown.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const spice: CreateRecipe = recipe({
  name: "spice",
  literature: "SPICE",
  differs: [
    "documents are lines of numbers and tasks are sums of them, whose answers are computed",
    "the challenger is paid 4p(1 − p), not by a bell around the variance of the answers",
    "how a task is set is demonstrated beside it",
  ],
  schedule: ["one"],
  settings: {
    ...{ proposals: 4, attempts: 4, epsilon: 0.2, shownWeight: 0.2 },
    ...{ steps: 25, learningRate: 3e-3 },
  },
  stages: ({ proposals, attempts, epsilon, shownWeight, steps, learningRate }) => [
    rewardStage({
      rollout: parts.readAndSolve(proposals, attempts),
      filters: [parts.answerableProposals()],
      reward: parts.frontier(parts.outcome()),
      advantage: parts.amongTries(),
      losses: [parts.pgClip(epsilon), { loss: parts.shownCrossEntropy(), weight: shownWeight }],
      state: { corpus: parts.ownCorpus },
      steps,
      settings: { tasksPerStep: 4, learningRate },
    }),
  ],
});
