/**
 * Gen-Searcher: what was gathered is scored by a judge, what came of it by a reward model.
 *
 * Source: "Gen-Searcher: Reinforcing Agentic Search for Image Generation" (S171).
 * Differs from it: no images; the product is the rollout as it ended.
 * Why: the models read text alone, and the end of a rollout is what the verifier judges.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { callsAndResults } from "./calls-and-results.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { outcomeModel } from "./outcome-model.ts";

export const genSearcher: CreateRecipe = recipe({
  name: "gen-searcher",
  literature: "Gen-Searcher",
  differs: ["no images", "the product is the rollout as it ended"],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    modelSteps: 8,
    steps: 25,
    learningRate: 3e-3,
    gathered: 0.5,
  },
  stages: ({ groupSize, epsilon, startSteps, modelSteps, steps, learningRate, gathered }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    outcomeModel({ steps: modelSteps, learningRate, at: "end" }),
    rewardStage({
      rollout: parts.group(groupSize),
      reward: parts.weighted<"rm" | "judge">([
        [parts.judge(callsAndResults), gathered],
        [parts.rewardModel(), 1 - gathered],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { rm: parts.rewardModelState, judge: parts.judgement },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
