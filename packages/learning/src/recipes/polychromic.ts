/**
 * Polychromic PPO: forks of visited states are scored in sets, by success times diversity; a critic judges
 * what they share.
 *
 * Source: Hamid et al. 2025, "Polychromic Objectives for Reinforcement Learning", arXiv:2509.25424.
 * Differs from it: kinds of a rollout are its calls in order; sets are of four forks and whole rollouts.
 * Why: calls are exact where a likeness of texts is not, and forks cost less than rollouts from the start.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const polychromic: CreateRecipe = recipe({
  name: "polychromic",
  literature: "Polychromic PPO",
  differs: [
    "token-mean over the minibatch",
    "kinds of a rollout are its calls in order",
    "sets are of four forks and whole attempts",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, setSize: 4, lambda: 1 },
  stages: ({ groupSize, epsilon, steps, learningRate, setSize, lambda }) => [
    rewardStage({
      rollout: parts.branchVine(groupSize),
      filters: [],
      reward: parts.outcome(),
      advantage: parts.setAfterForks(setSize, { lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
