/**
 * MARAG-R1: four retrieval tools instead of one, learned from demonstrations and then by reinforcement.
 *
 * Source: "MARAG-R1: Beyond Single Retriever via Reinforcement-Learned Multi-Tool Agentic Retrieval" (S219).
 * Differs from it: documents are the environment's, one sentence a fact; nothing is embedded; the four: by likeness, by all of the words, by whom a document is about, and how many there are.
 * Why: answers are then exact, and no encoder fits beside a nano model in a page.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const maragR1: CreateRecipe = recipe({
  name: "marag-r1",
  literature: "MARAG-R1",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "documents are the environment's, one sentence a fact; nothing is embedded",
    "the four: by likeness, by all of the words, by whom a document is about, and how many there are",
  ],
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate, mistakes: 0.3 }),
    rewardStage({
      rollout: parts.searchingGroup(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { corpus: parts.ownCorpus },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
