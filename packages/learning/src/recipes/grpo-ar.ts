/**
 * GRPO-AR: what ran and what judges say go into one advantage, after a start from demonstrations.
 *
 * Source: "Code Aesthetics with Agentic Reward Feedback" (S111).
 * Differs from it: one judge for several agents; it reads calls and results.
 * Why: one rule for all agents can be repeated and asks no model.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { callsAndResults } from "./calls-and-results.ts";

export const grpoAr: CreateRecipe = recipe({
  name: "grpo-ar",
  literature: "GRPO-AR",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "one judge for several agents; it reads calls and results",
  ],
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.weighted<"judge">([
        [parts.exec(), { standard: 0.5 }],
        [parts.judge(callsAndResults), { standard: 0.5 }],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { judge: parts.judgement },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
