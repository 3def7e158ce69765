/**
 * BrowserAgent: an agent that acts from its own notes of conclusions, by imitation first and then from
 * those of its own rollouts that succeeded.
 *
 * Source: "BrowserAgent: Building Web Agents with Human-Inspired Web Browsing Actions" (S103).
 * Differs from it: a memory is one rollout's; conclusions of demonstrations are written by rule.
 * Why: a nano model does not write conclusions; a rule writes the same ones in every run.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const browserAgent: CreateRecipe = recipe({
  name: "browser-agent",
  literature: "BrowserAgent",
  differs: ["a memory is one rollout's", "conclusions of demonstrations are written by rule"],
  schedule: ["sft-rft"],
  settings: { mistakes: 0, startSteps: 80, steps: 15, learningRate: 3e-3 },
  stages: ({ mistakes, startSteps, steps, learningRate }) => [
    tokenStage({
      name: "start",
      rollout: parts.notedDemos(mistakes),
      losses: [parts.crossEntropy()],
      state: { "memory-bank": parts.notes },
      steps: startSteps,
      settings: { tasksPerStep: 32, learningRate },
    }),
    tokenStage({
      name: "own successes",
      rollout: parts.notedSingle(),
      filters: [parts.success()],
      reward: parts.outcome(),
      losses: [parts.crossEntropy()],
      state: { "memory-bank": parts.notes },
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
