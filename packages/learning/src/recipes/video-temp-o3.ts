/**
 * VideoTemp-o3: turns that failed are masked in imitation, and a bonus is guarded by the outcome.
 *
 * Source: "VideoTemp-o3: Harmonizing Temporal Grounding and Video Understanding in Agentic Thinking-
 * with-Videos" (S346).
 * Differs from it: a noisy turn is one whose call failed.
 * Why: the models read text alone, and which calls failed is in every record.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const videoTempO3: CreateRecipe = recipe({
  name: "video-temp-o3",
  literature: "VideoTemp-o3",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "a noisy turn is one whose call failed",
  ],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    bonus: 0.2,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, bonus }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.stepMask()],
      loss: parts.maskedCrossEntropy(),
    }),
    groupReinforcement({
      groupSize,
      reward: parts.gate(parts.outcome(), parts.callBonus(bonus)),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
