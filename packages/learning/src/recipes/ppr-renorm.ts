/**
 * PPR with ReNorm: a judge scores every step, and the scores are brought around the verified outcome
 * before they are mixed with it.
 *
 * Source: "Hybrid Reward Normalization for Process-supervised Non-verifiable Agentic Tasks" (S186).
 * Differs from it: the judge reads calls and results.
 * Why: a rule judges the same record the same way, and no judge fits into runs of minutes.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { turnShown } from "./turn-shown.ts";

export const pprRenorm: CreateRecipe = recipe({
  name: "ppr-renorm",
  literature: "PPR / ReNorm",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the judge reads calls and results",
  ],
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    spread: 0.25,
    stepWeight: 0.5,
  },
  stages: ({ groupSize, epsilon, steps, learningRate, spread, stepWeight }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.weighted<"judge">([
        [parts.calibratedProcess(turnShown, spread), { standard: 0.5 }],
        [parts.outcome(), { standard: 0.5 }],
      ]),
      advantage: parts.mixedSteps({ stepWeight }),
      losses: [parts.pgClip(epsilon)],
      state: { judge: parts.judgement },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
