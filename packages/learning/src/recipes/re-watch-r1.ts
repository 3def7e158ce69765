/**
 * ReWatch-R1: what is answered must agree with what was observed, beside being right.
 *
 * Source: "ReWatch-R1: Boosting Complex Video Reasoning in Large Vision-Language Models through Agentic Data
 * Synthesis" (S288).
 * Differs from it: no video: an observation is what a tool said; the one claim is the answer, supported where a tool had said it.
 * Why: the models read text alone, and whether a tool had said it is exact.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const reWatchR1: CreateRecipe = recipe({
  name: "re-watch-r1",
  literature: "ReWatch-R1",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "no video: an observation is what a tool said",
    "the one claim is the answer, supported where a tool had said it",
  ],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    grounding: 0.3,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, grounding }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.verify()],
    }),
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.outcome(), { standard: 1 }],
        [parts.groundedAnswer(), grounding],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
