/**
 * FocuSFT: before each step, fast weights of the attention learn what stands in the context; the step
 * is taken there and the weights go back.
 *
 * Source: "FocuSFT: Bilevel Optimization for Dilution-Aware Long-Context Fine-Tuning" (S166).
 * Differs from it: attention over the context stays causal; the outer gradient is of first order; all rows
 * of a minibatch share the fast weights.
 * Why: graphs of the engine are causal, and its port has first derivatives.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const focuSft: CreateRecipe = recipe({
  name: "focu-sft",
  literature: "FocuSFT",
  differs: [
    "attention over the context stays causal",
    "the outer gradient is of first order",
    "all rows of a minibatch share the fast weights",
  ],
  schedule: ["sft"],
  settings: { innerSteps: 2, innerRate: 1e-3, mistakes: 0, steps: 25, learningRate: 3e-3 },
  stages: ({ innerSteps, innerRate, mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(mistakes),
      losses: [parts.bilevel(parts.crossEntropy(), parts.readsContext(innerSteps, innerRate))],
      state: { "fast-weights": parts.temporary },
      steps,
      settings: { tasksPerStep: 16, learningRate },
    }),
  ],
});
