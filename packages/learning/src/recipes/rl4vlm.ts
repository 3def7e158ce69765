/**
 * RL4VLM: an end-to-end actor-critic on single trajectories whose actions are parsed from text.
 *
 * Source: Zhai et al. 2024, "Fine-Tuning Large Vision-Language Models as Decision-Making Agents via
 * Reinforcement Learning", arXiv:2405.10292.
 * Differs from it: no images; thought and action tokens weigh alike; time passes over tokens, not over
 * steps of the environment, so λ is 1; the critic leaves the adapter to the policy.
 * Why: the models read text alone and mark no thoughts, and a critic's gradient in the adapter that both
 * share made the policy unlearn.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const rl4vlm: CreateRecipe = recipe({
  name: "rl4vlm",
  literature: "RL4VLM",
  differs: [
    "no images",
    "thought and action tokens weigh alike",
    "time passes over tokens, not over steps of the environment, so λ is 1",
    "the critic leaves the adapter to the policy",
  ],
  schedule: ["one"],
  // Two steps are taken on each batch, each half as long as where there is one.
  settings: { epsilon: 0.2, lambda: 1, epochs: 2, steps: 25, learningRate: 1.5e-3 },
  stages: ({ epsilon, lambda, epochs, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      advantage: parts.gae({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead },
      steps,
      settings: { tasksPerStep: 96, epochs, learningRate },
    }),
  ],
});
