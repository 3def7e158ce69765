/**
 * SPA-RL: a learned estimate of progress spreads the outcome over the steps, beside pay for calls that ran.
 *
 * Source: Wang et al. 2025, "SPA-RL: Reinforcing LLM Agents via Stepwise Progress Attribution",
 * arXiv:2505.20732.
 * Differs from it: the estimator is linear in what a turn was, and is fitted to the outcomes of each step as it
 * comes; the critic leaves the adapter to the policy.
 * Why: a linear estimator is fitted within a step, and a critic's gradient in the adapter that both share
 * made the policy unlearn.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const spaRl: CreateRecipe = recipe({
  name: "spa-rl",
  literature: "SPA-RL",
  differs: [
    "token-mean over the minibatch",
    "the estimator is linear in what a turn was, and is fitted to the outcomes of each step as it comes",
    "the critic leaves the adapter to the policy",
  ],
  schedule: ["sft-rl"],
  settings: {
    ranWeight: 0.1,
    lambda: 1,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ ranWeight, lambda, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.single(),
      filters: [parts.fitsProgress()],
      reward: parts.weighted<"progress-est">([
        [parts.attributedProgress(), { standard: 1 }],
        [parts.exec(), ranWeight],
      ]),
      advantage: parts.gae({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead, "progress-est": parts.progressEstimate },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});
