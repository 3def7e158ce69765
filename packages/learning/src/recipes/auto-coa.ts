/**
 * AutoCoA: after a start from demonstrations, part of what tools would say comes from a model of the
 * environment while the policy learns when to act.
 *
 * Source: "Agent models: Internalizing Chain-of-Action Generation into Reasoning models" (S028).
 * Differs from it: the simulator is a copy of the base, fitted to logged calls; the share of calls that it answers is a setting; a task ends where the environment says, which follows the calls unseen.
 * Why: no second base is there, and the environment says when a task is over whatever a simulator believes.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const autoCoa: CreateRecipe = recipe({
  name: "auto-coa",
  literature: "AutoCoA",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the simulator is a copy of the base, fitted to logged calls",
    "the share of calls that it answers is a setting",
    "a task ends where the environment says, which follows the calls unseen",
  ],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    imagined: 0.5,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, imagined }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.simulatedTools({ size: groupSize, share: imagined }),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "world-model": parts.worldModel },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
