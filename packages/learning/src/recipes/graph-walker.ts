/**
 * GraphWalker: random walks that were verified, then expert demonstrations, then a little
 * reinforcement.
 *
 * Source: "GraphWalker: Agentic Knowledge Graph Question Answering via Synthetic Trajectory
 * Curriculum" (S179).
 * Differs from it: a walk is the demonstrator with half of its decisions made at random.
 * Why: mistakes at random visit what a graph's neighbours would.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const graphWalker: CreateRecipe = recipe({
  name: "graph-walker",
  literature: "GraphWalker",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "a walk is the demonstrator with half of its decisions made at random",
  ],
  schedule: ["sft-rl", "stages"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      name: "walks",
      mistakes: 0.5,
      filters: [parts.verify()],
    }),
    demonstrationStart({ steps: startSteps, learningRate, name: "expert" }),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});
