/**
 * Embodied R1: a teacher's plans first, then a reward by rule that pays for every right action.
 *
 * Source: "Reinforced Reasoning for Embodied Planning" (S280).
 * Differs from it: the rule is the environment's progress.
 * Why: it is exact and the same for every policy.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { teacherStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const embodiedR1: CreateRecipe = recipe({
  name: "embodied-r1",
  literature: "Embodied R1",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the rule is the environment's progress",
  ],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    secondMistakes: 0.3,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, secondMistakes }) => [
    teacherStart({ steps: startSteps, learningRate, secondMistakes }),
    groupReinforcement({
      groupSize,
      reward: parts.progress(),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
