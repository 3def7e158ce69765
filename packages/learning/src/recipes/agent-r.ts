/**
 * Agent-R: a search finds failures and successes of each task, a failure is cut at its first error, and the
 * words that it was wrong and the right way are spliced in and imitated.
 *
 * Source: Yuan et al. 2025, "Agent-R: Training Language Model Agents to Reflect via Iterative
 * Self-Training", arXiv:2501.11425.
 * Differs from it: the first error is the first turn that the success did otherwise, not what the policy
 * takes for one; the environment is put back to where the success went on.
 * Why: against a success for comparison the first other turn is exact, and a nano model does not find its
 * errors.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const agentR: CreateRecipe = recipe({
  name: "agent-r",
  literature: "Agent-R",
  differs: [
    "the first error is the first turn that the success did otherwise, not what the policy takes for one",
    "the environment is put back to where the success went on",
  ],
  schedule: ["rounds"],
  settings: {
    ...{ attempts: 8, width: 2, exploration: 0.5 },
    ...{ rounds: 2, steps: 12, learningRate: 3e-3 },
  },
  stages: ({ attempts, width, exploration, steps, learningRate }) => [
    tokenStage({
      rollout: parts.tree(attempts, {
        ...{ rule: { kind: "uct", exploration }, width },
        retells: parts.revision("That was wrong. I go back and try otherwise."),
      }),
      filters: [parts.retold()],
      reward: parts.outcome(),
      advantage: parts.monteCarloTree(),
      losses: [parts.maskedCrossEntropy()],
      state: { "tree-store": parts.searchTrees },
      steps,
      settings: { tasksPerStep: 6, learningRate },
    }),
  ],
});
