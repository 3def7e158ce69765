/**
 * IndusAgent: a gated sum of outcome, price of calls and bonus for them, so that tools are used where
 * they help.
 *
 * Source: "IndusAgent: Reinforcing Open-Vocabulary Industrial Anomaly Detection with Agentic Tools"
 * (S190).
 * Differs from it: weights are settings, as the abstract gives none.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const indusAgent: CreateRecipe = recipe({
  name: "indus-agent",
  literature: "IndusAgent",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "weights are settings, as the abstract gives none",
  ],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    callCost: 0.05,
    bonus: 0.2,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, callCost, bonus }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.gate(
        parts.weighted([
          [parts.outcome(), 0.5],
          [parts.economy({ toolCall: callCost }), 0.5],
        ]),
        parts.callBonus(bonus),
      ),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
