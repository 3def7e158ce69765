/**
 * AI-SearchPlanner: utility and price are two numbers to the end, and a weight chooses the place on
 * their front.
 *
 * Source: "AI-SearchPlanner: Modular Agentic Search via Pareto-Optimal Multi-Objective Reinforcement
 * Learning" (S076).
 * Differs from it: the planner is the whole policy; a moving baseline, as the abstract names no
 * estimator.
 * Why: planner and answerer read one conversation here, and the answer is the environment's to judge.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const aiSearchPlanner: CreateRecipe = recipe({
  name: "ai-search-planner",
  literature: "AI-SearchPlanner",
  differs: [
    "token-mean over the minibatch",
    "the planner is the whole policy",
    "a moving baseline, as the abstract names no estimator",
  ],
  schedule: ["one"],
  settings: { thrift: 0.1, decay: 0.98, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ thrift, decay, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      reward: parts.multiDimensional({
        utility: { reward: parts.outcome(), weight: 1 },
        price: {
          reward: parts.economy({ toolCall: 1 }, { kind: "decoupled" }),
          of: ({ components }) => -(components?.["cost"] ?? 0),
          weight: thrift,
        },
      }),
      advantage: parts.movingBaselineAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { baseline: parts.baseline({ decay, prior: 0.5 }) },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});
