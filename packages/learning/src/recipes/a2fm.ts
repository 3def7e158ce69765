/**
 * A2FM: a share of each group in every mode, the mode's cost in the reward; after a start from
 * demonstrations.
 *
 * Source: "A^2FM: An Adaptive Agent Foundation Model for Tool-Aware Hybrid Reasoning", arXiv:2510.12838.
 * Differs from it: a mode is a sentence of the system message.
 * Why: a sentence in the prompt is what a nano model can tell modes apart by; tokens of its own for a mode
 * would need another vocabulary.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage, tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const a2fm: CreateRecipe = recipe({
  name: "a2fm",
  literature: "A2FM / APO",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "a mode is a sentence of the system message",
  ],
  schedule: ["sft-rl"],
  settings: {
    perMode: 4,
    callCost: 0.02,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ perMode, callCost, epsilon, startSteps, steps, learningRate }) => [
    tokenStage({
      name: "start",
      rollout: parts.demos(),
      losses: [parts.crossEntropy()],
      steps: startSteps,
      settings: { tasksPerStep: 32, learningRate },
    }),
    rewardStage({
      rollout: parts.modeStrata(["", "Be brief."], perMode),
      filters: [parts.mixedGroup()],
      reward: parts.weighted([
        [parts.outcome(), { standard: 0.5 }],
        [parts.economy({ toolCall: callCost }), { standard: 0.5 }],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
