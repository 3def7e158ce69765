/**
 * PARA-GRPO: the form of calls is learned at the tokens that give them their form, and budgets drawn for
 * each task make calls worth their while.
 *
 * Source: "ParaVT: Taming the Tool Prior Paradox for Parallel Tool Use in Agentic Video Reinforcement
 * Learning" (S258).
 * Differs from it: no video; structural tokens are those that every call has; budgets are of calls and of turns, and said at the beginning.
 * Why: the models read text alone, and a budget that is said can be minded.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const paraGrpo: CreateRecipe = recipe({
  name: "para-grpo",
  literature: "PARA-GRPO",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "no video",
    "structural tokens are those that every call has",
    "budgets are of calls and of turns, and said at the beginning",
  ],
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    leastCalls: 2,
    mostCalls: 6,
    mostTurns: 8,
    formWeight: 0.5,
  },
  stages: ({
    groupSize,
    epsilon,
    steps,
    learningRate,
    leastCalls,
    mostCalls,
    mostTurns,
    formWeight,
  }) => [
    rewardStage({
      rollout: parts.randomEnvironments(
        {
          toolBudget: { from: leastCalls, to: mostCalls },
          turnBudget: { from: mostTurns, to: mostTurns },
          faultRate: { from: 0, to: 0 },
        },
        groupSize,
      ),
      filters: [parts.mixedGroup()],
      reward: parts.weighted([
        [parts.outcome(), { standard: 1 }],
        [parts.format(), 0],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [
        parts.pgClip(epsilon),
        { loss: parts.structuralTokens(parts.pgClip(epsilon)), weight: formWeight },
      ],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
