/**
 * Multiagent fine-tuning: members of a debate answer one after the other, and each learns its own answers of
 * those that were right, so that they stay different.
 *
 * Source: Subramaniam et al. 2025, "Multiagent Finetuning: Self Improvement with Diverse Reasoning Chains",
 * arXiv:2501.05707.
 * Differs from it: right is what the verifier says, not what the majority does.
 * Why: verifiers are exact, a majority of nano models is not.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
const MEMBERS = ["generator", "critic", "judge"] as const;

export const multiagentFineTuning: CreateRecipe = recipe({
  name: "multiagent-fine-tuning",
  literature: "Multiagent fine-tuning",
  differs: ["right is what the verifier says, not what the majority does"],
  schedule: ["rounds"],
  settings: { debates: 4, steps: 6, rounds: 3, learningRate: 3e-3 },
  stages: ({ debates, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teamOf({ how: "relay", roles: MEMBERS, size: debates }),
      filters: [parts.success()],
      losses: [parts.crossEntropy()],
      state: { "role-adapters": parts.roleAdapters(MEMBERS) },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
