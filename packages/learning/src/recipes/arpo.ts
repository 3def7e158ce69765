/**
 * ARPO: branches only where a tool result made the policy unsure, and credits what branches share with
 * all that came of it.
 *
 * Source: Dong et al. 2025, "Agentic Reinforced Policy Optimization", arXiv:2507.19849.
 * Differs from it: entropies are those of whole-token distributions recorded at sampling; no reward for
 * the number of tools.
 * Why: what a sampler records is enough to branch by; a bonus would change the objective that arms are
 * compared by.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const arpo: CreateRecipe = recipe({
  name: "arpo",
  literature: "ARPO (branching)",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "no reward for using several tools",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, whole: 4, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, whole, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.branchEntropy(groupSize, whole),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.branchAttributed(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
