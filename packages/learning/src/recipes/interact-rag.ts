/**
 * Interact-RAG: fine-grained actions on a corpus, begun with successes of a workflow and then reinforced.
 *
 * Source: "Interact-RAG: Reason and Interact with the Corpus, Beyond Black-Box Retrieval" (S194).
 * Differs from it: documents are the environment's, one sentence a fact; nothing is embedded; the workflow is the environment's demonstrator; actions: by likeness, by all of the words, by whom a document is about, by count.
 * Why: answers are then exact, and no encoder fits beside a nano model in a page.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const interactRag: CreateRecipe = recipe({
  name: "interact-rag",
  literature: "Interact-RAG",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "documents are the environment's, one sentence a fact; nothing is embedded",
    "the workflow is the environment's demonstrator",
    "actions: by likeness, by all of the words, by whom a document is about, by count",
  ],
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.success()],
    }),
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
