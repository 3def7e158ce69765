/**
 * TOA: a search over what is generated next, scored by a reward model, makes the data that the policy is
 * aligned with.
 *
 * Source: Ye et al. 2024, "Multi-Agent Sampling: Scaling Inference Compute for Data Synthesis with Tree
 * Search-Based Agentic Collaboration", arXiv:2412.17061.
 * Differs from it: one policy speaks at every node, where the paper chooses among several models; the
 * reward model is trained here, on demonstrations.
 * Why: one base is what pages hold, and demonstrations that err are the labels that there are.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { pairStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { outcomeModel } from "./outcome-model.ts";

export const toa: CreateRecipe = recipe({
  name: "toa",
  literature: "TOA",
  differs: [
    "one policy speaks at every node, where the paper chooses among several models",
    "the reward model is trained here, on demonstrations",
  ],
  schedule: ["one"],
  settings: {
    ...{ attempts: 8, width: 2, exploration: 0.5, margin: 0.05, beta: 0.1, imitation: 0.5 },
    ...{ taskPool: 96, modelSteps: 8, steps: 20, learningRate: 3e-3 },
  },
  stages: ({ attempts, width, exploration, margin, beta, imitation, learningRate, ...run }) => [
    outcomeModel({ steps: run.modelSteps, learningRate, at: "end" }),
    pairStage({
      rollout: parts.tree(attempts, { rule: { kind: "uct", exploration }, width }),
      filters: [parts.chosenSucceeds(parts.forks(margin))],
      reward: parts.rewardModel(),
      advantage: parts.monteCarloTree(),
      losses: [parts.dpo(beta), { loss: parts.chosenCrossEntropy(), weight: imitation }],
      state: {
        ...{ ref: parts.reference, rm: parts.rewardModelState },
        "tree-store": parts.searchTrees,
      },
      steps: run.steps,
      settings: { tasksPerStep: 12, taskPool: run.taskPool, learningRate },
    }),
  ],
});
