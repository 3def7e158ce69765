/**
 * AgenTracer: a reward in tiers, the coarse answer before the fine one, on rollouts that were checked.
 *
 * Source: "AgenTracer: Who Is Inducing Failure in the LLM Agentic Systems?" (S063).
 * Differs from it: the tiers are readable turns, calls that ran, and success, not agent and step of a
 * fault; checked rollouts are those that ended by themselves.
 * Why: nobody says which step was at fault; what can be read and what ran is in every record.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { readRanSolved } from "./answer-tiers.ts";

export const agenTracer: CreateRecipe = recipe({
  name: "agen-tracer",
  literature: "AgenTracer",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the tiers are readable turns, calls that ran, and success, not agent and step of a fault",
    "checked rollouts are those that ended by themselves",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, mostTurns: 8 },
  stages: ({ groupSize, epsilon, steps, learningRate, mostTurns }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [
        parts.verify(({ record: trajectory }) => [trajectory.terminated]),
        parts.mixedGroup(),
      ],
      reward: readRanSolved(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate, maxTurns: mostTurns },
    }),
  ],
});
