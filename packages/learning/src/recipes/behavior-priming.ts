/**
 * Behavior Priming: demonstrations are chosen by the behaviours that they show, right or wrong, before
 * reinforcement.
 *
 * Source: "Beneficial Reasoning Behaviors in Agentic Search and Effective Post-training to Obtain
 * Them" (S098).
 * Differs from it: behaviours are read off calls and results: checks, goes on, recovers, answers.
 * Why: no judge is there, and these four can be read off any record.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const behaviorPriming: CreateRecipe = recipe({
  name: "behavior-priming",
  literature: "Behavior Priming",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "behaviours are read off calls and results: checks, goes on, recovers, answers",
  ],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    leastBehaviors: 3,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, leastBehaviors }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.behaviour(undefined, leastBehaviors)],
    }),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});
