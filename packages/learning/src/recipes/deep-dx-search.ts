/**
 * Deep-DxSearch: a reward in four parts over a corpus: form, process, what was retrieved, outcome.
 *
 * Source: "End-to-End Agentic RAG System Training for Traceable Diagnostic Reasoning" (S138).
 * Differs from it: documents are the environment's, one sentence a fact; nothing is embedded; the process is read off calls and results, no model judges.
 * Why: answers are then exact, and neither an encoder nor a judge fits into runs of minutes.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const deepDxSearch: CreateRecipe = recipe({
  name: "deep-dx-search",
  literature: "Deep-DxSearch",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "documents are the environment's, one sentence a fact; nothing is embedded",
    "the process is read off calls and results, no model judges",
  ],
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    formatWeight: 0.1,
    processWeight: 0.2,
    retrievalWeight: 0.5,
  },
  stages: ({
    groupSize,
    epsilon,
    steps,
    learningRate,
    formatWeight,
    processWeight,
    retrievalWeight,
  }) => [
    rewardStage({
      rollout: parts.searchingGroup(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.weighted<"corpus">([
        [parts.outcome(), { standard: 1 }],
        [parts.format(), formatWeight],
        [parts.ruleProcess(), processWeight],
        [parts.retrieved(), retrievalWeight],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { corpus: parts.ownCorpus },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
