/**
 * AceReason: a strong start from demonstrations, then reinforcement at a temperature that holds the entropy
 * of sampled tokens near a target.
 *
 * Source: Liu et al. 2025, "AceReason-Nemotron 1.1", arXiv:2506.13284.
 * Differs from it: the temperature follows the entropy that was measured in the step before.
 * Why: within a step all tokens are drawn at one temperature, and its entropy is known when the step is over.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const aceReason: CreateRecipe = recipe({
  name: "ace-reason",
  literature: "AceReason",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the temperature follows the entropy that was measured in the step before",
  ],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    entropy: 0.3,
    gain: 0.5,
    least: 0.5,
    most: 1.5,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, entropy, gain, least, most }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.measuredEntropy({ target: entropy, gain, least, most }), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { temperature: parts.temperature() },
      schedule: [parts.temperatureTarget()],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
