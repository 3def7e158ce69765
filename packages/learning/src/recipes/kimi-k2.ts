/**
 * Kimi K2: plain text first, verified demonstrations, then reinforcement by verifier and judge
 * together.
 *
 * Source: "Kimi K2: Open Agentic Intelligence", arXiv:2507.20534.
 * Differs from it: plain text is that of demonstrations; the judge reads calls and results.
 * Why: no other text speaks of these environments, and a rule judges the same record the same way.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { callsAndResults } from "./calls-and-results.ts";

export const kimiK2: CreateRecipe = recipe({
  name: "kimi-k2",
  literature: "Kimi K2 post-training",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "plain text is that of demonstrations",
    "the judge reads calls and results",
  ],
  schedule: ["cpt-sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      name: "text",
      loss: parts.languageModel(),
    }),
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.verify()],
    }),
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.weighted<"judge">([
        [parts.outcome(), { standard: 0.7 }],
        [parts.judge(callsAndResults), { standard: 0.3 }],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { judge: parts.judgement },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
