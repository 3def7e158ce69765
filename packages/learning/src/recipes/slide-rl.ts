/**
 * SlideRL: what was made must let a reader tell the brief again, beside calls that ran and a judge.
 *
 * Source: "Learning to Present: Inverse Specification Rewards for Agentic Slide Generation" (S207).
 * Differs from it: no slides: what is made is what the calls did; the reader sees the arguments of the calls alone, and no model; three parts instead of five.
 * Why: the models make no pictures; what calls did is in every record.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { callsAndResults } from "./calls-and-results.ts";

export const slideRl: CreateRecipe = recipe({
  name: "slide-rl",
  literature: "SlideRL",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "no slides: what is made is what the calls did",
    "the reader sees the arguments of the calls alone, and no model",
    "three parts instead of five",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.weighted<"judge">([
        [parts.exec(), { standard: 0.2 }],
        [parts.judge(callsAndResults), { standard: 0.2 }],
        [parts.recoveredRequest(), { standard: 0.6 }],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { judge: parts.judgement },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
