/**
 * CORY: two copies act in sequence, the observer reads what the pioneer answered, both are paid the sum, and
 * they swap roles.
 *
 * Source: Ma et al. 2024, "Coevolving with the Other You: Fine-Tuning LLM with Sequential Cooperative
 * Multi-Agent Reinforcement Learning", arXiv:2410.06101.
 * Differs from it: an adapter for each copy over one base.
 * Why: pages and trainer hold one base.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
const COPIES = ["pioneer", "observer"] as const;

export const cory: CreateRecipe = recipe({
  name: "cory",
  literature: "CORY",
  differs: ["an adapter for each copy over one base"],
  schedule: [],
  settings: {
    groupSize: 4,
    epsilon: 0.2,
    lambda: 1,
    klCoefficient: 0.02,
    swapEvery: 5,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ groupSize, epsilon, lambda, klCoefficient, swapEvery, steps, learningRate }) => [
    rewardStage({
      rollout: parts.teamOf({ how: "relay", roles: COPIES, size: groupSize }),
      reward: parts.team("sum"),
      advantage: parts.gae({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
      kl: { in: "loss", coefficient: klCoefficient, estimator: "k3" },
      state: {
        // Each copy has had both roles: one of them alone is what is used.
        "role-adapters": parts.roleAdapters(COPIES, { deploys: "pioneer" }),
        critic: parts.valueHead,
        ref: parts.reference,
      },
      schedule: [parts.roleSwap(swapEvery)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
