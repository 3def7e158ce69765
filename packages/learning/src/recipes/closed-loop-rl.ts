/**
 * Closed-loop agent RL: a policy that imitates first is tuned on the states that it brings about
 * itself, by the outcome.
 *
 * Source: "Improving Agent Behaviors with RL Fine-tuning for Autonomous Driving" (S187).
 * Differs from it: a moving baseline.
 * Why: the abstract names no estimator.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const closedLoopRl: CreateRecipe = recipe({
  name: "closed-loop-rl",
  literature: "Closed-loop agent RL",
  differs: [
    "token-mean over the minibatch",
    "a moving baseline, as the abstract names no estimator",
  ],
  schedule: ["sft-rl"],
  settings: { decay: 0.98, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ decay, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      advantage: parts.movingBaselineAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { baseline: parts.baseline({ decay, prior: 0.5 }) },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});
