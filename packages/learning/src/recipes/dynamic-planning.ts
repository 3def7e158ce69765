/**
 * Dynamic planning: an actor-critic after a start from demonstrations, in which every turn costs, so
 * that one more is taken only where it pays.
 *
 * Source: "Learning When to Plan: Efficiently Allocating Test-Time Compute for LLM Agents" (S209).
 * Differs from it: turns stand for plans.
 * Why: a nano model writes no plans, but it looks before it acts.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const dynamicPlanning: CreateRecipe = recipe({
  name: "dynamic-planning",
  literature: "Dynamic planning",
  differs: ["token-mean over the minibatch", "turns stand for plans"],
  schedule: ["sft-rl"],
  settings: {
    turnCost: 0.05,
    epsilon: 0.2,
    lambda: 1,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ turnCost, epsilon, lambda, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.single(),
      reward: parts.weighted([
        [parts.outcome(), { standard: 0.5 }],
        [parts.economy({ turn: turnCost }), { standard: 0.5 }],
      ]),
      advantage: parts.gae({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});
