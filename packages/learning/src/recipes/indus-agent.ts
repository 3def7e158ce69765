/**
 * IndusAgent: a gated sum of outcome, price of calls and bonus for them, so that tools are used where
 * they help.
 *
 * Source: "IndusAgent: Reinforcing Open-Vocabulary Industrial Anomaly Detection with Agentic Tools"
 * (S190).
 * Differs from it: weights are settings, as the abstract gives none.
 * Why: what the abstract leaves open is the run's to choose.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

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
    groupReinforcement({
      groupSize,
      reward: parts.gate(
        parts.weighted([
          [parts.outcome(), { standard: 0.5 }],
          [parts.economy({ toolCall: callCost }), { standard: 0.5 }],
        ]),
        parts.callBonus(bonus),
      ),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});
