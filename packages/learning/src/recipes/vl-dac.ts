/**
 * VL-DAC: one value a turn for the critic, one ratio a token for the policy.
 *
 * Source: "Enhancing Vision-Language Model Training with Reinforcement Learning in Synthetic Environments
 * for Real-Environment Success" (S140), arXiv:2508.04280.
 * Differs from it: no KL to a reference and no first steps of the critic alone.
 * Why: a pull to the reference costs a forward pass, and a critic that says 0 at first needs no steps alone.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const vlDac: CreateRecipe = recipe({
  name: "vl-dac",
  literature: "VL-DAC",
  differs: [
    "token-mean over the minibatch",
    "no KL to a reference and no first steps of the critic alone",
  ],
  schedule: ["one"],
  settings: { epsilon: 0.2, lambda: 0.95, steps: 25, learningRate: 3e-3 },
  stages: ({ epsilon, lambda, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      advantage: parts.gaeStep({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic("turns"), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});
