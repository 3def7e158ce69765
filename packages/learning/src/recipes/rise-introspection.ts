/**
 * RISE (introspection): one-turn tasks become several answers in one context, each told that the last
 * was wrong; all are learned, the better ones more.
 *
 * Source: Qu et al. 2024, "Recursive Introspection: Teaching Language Model Agents How to Self-Improve",
 * arXiv:2407.18219.
 * Differs from it: a teacher answers only where all of the policy's own answers are wrong.
 * Why: a teacher's answer where the policy has one of its own would only replace it.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const riseIntrospection: CreateRecipe = recipe({
  name: "rise-introspection",
  literature: "RISE (introspection)",
  differs: ["a teacher answers only where all of the policy's own answers are wrong"],
  schedule: ["rounds"],
  settings: {
    ...{ rounds: 3, guidance: "Wrong. Try again.", answers: 2, attempts: 1, temperature: 0.5 },
    ...{ steps: 8, learningRate: 3e-3 },
  },
  stages: ({ guidance, answers, attempts, temperature, steps, learningRate }) => [
    rewardStage({
      rollout: parts.introspection(guidance, answers, attempts),
      reward: parts.outcome(),
      advantage: parts.payWeighted(temperature),
      losses: [parts.weighedCrossEntropy()],
      state: { teacher: parts.demonstrators() },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});
