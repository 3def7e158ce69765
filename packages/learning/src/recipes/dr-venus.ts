/**
 * DR-Venus: a start from clean and long demonstrations, then turns paid for how much likelier they made
 * the right answer, and for their form.
 *
 * Source: "DR-Venus: Towards Frontier Edge-Scale Deep Research Agents with Only 10K Open Data" (S131).
 * Differs from it: gains are cut and paid beside the outcome; long demonstrations weigh more by their number of turns.
 * Why: one turn that makes the answer much likelier must not be worth more than the answer.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const drVenus: CreateRecipe = recipe({
  name: "dr-venus",
  literature: "DR-Venus",
  differs: [
    "token-mean over the minibatch",
    "gains are cut and paid beside the outcome",
    "long demonstrations weigh more by their number of turns",
  ],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    gain: 0.1,
    formatWeight: 0.1,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, gain, formatWeight }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.clean(), parts.longTail()],
    }),
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [],
      reward: parts.weighted([
        [parts.informationGain(gain), { standard: 1 }],
        [parts.format(), formatWeight],
      ]),
      advantage: parts.turnLevel(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
