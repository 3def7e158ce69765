/**
 * WebDancer: a start from demonstrations that succeeded, then reinforcement by outcome alone.
 *
 * Source: "WebDancer: Towards Autonomous Information Seeking Agency", arXiv:2505.22648.
 * Differs from it: demonstrations of the environment stand for crawled ones.
 * Why: nothing outside is reached from a run, and demonstrations have verified ends.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const webdancer: CreateRecipe = recipe({
  name: "webdancer",
  literature: "WebDancer",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "demonstrations of the environment stand for crawled ones",
  ],
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.success()],
    }),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});
