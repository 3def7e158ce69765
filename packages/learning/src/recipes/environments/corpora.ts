/** Reinforcement of searches in documents. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { retrieved } from "../../rewards/retrieval.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * Deep-DxSearch: a reward with four components over a corpus: format, process, retrieval and outcome.
 *
 * Source: "End-to-End Agentic RAG System Training for Traceable Diagnostic Reasoning" (S138).
 * Differs from it: documents belong to the environment, with one sentence per fact, and nothing is embedded; the
 * process reward comes from calls and results, not from a judge.
 * Why: answers are exact, and neither an encoder nor a judge fits into runs of minutes.
 */
const deepDxSearch: CreateRecipe = recipe({
  name: "deep-dx-search",
  literature: "Deep-DxSearch",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "documents belong to the environment, with one sentence per fact, and nothing is embedded",
    "the process reward comes from calls and results, not from a judge",
  ],
  mechanism: "partial",
  needs: ["search"],
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
        [parts.outcome(), { default: 1 }],
        [parts.format(), formatWeight],
        [parts.ruleProcess(), processWeight],
        [retrieved(), retrievalWeight],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { corpus: parts.ownCorpus },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * Interact-RAG: fine-grained retrieval actions on a corpus, learned from successes of a workflow and then by
 * reinforcement.
 *
 * Source: "Interact-RAG: Reason and Interact with the Corpus, Beyond Black-Box Retrieval" (S194).
 * Differs from it: documents belong to the environment, with one sentence per fact, and nothing is embedded; the
 * workflow is the environment's demonstrator; the actions are search by similarity, by all words, by the subject of
 * a document, and a count.
 * Why: answers are exact, and no encoder fits beside a nano model in a page.
 */
const interactRag: CreateRecipe = recipe({
  name: "interact-rag",
  literature: "Interact-RAG",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "documents belong to the environment, with one sentence per fact, and nothing is embedded",
    "the workflow is the environment's demonstrator",
    "the actions are search by similarity, by all words, by the subject of a document, and a count",
  ],
  mechanism: "nominal",
  needs: ["search"],
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

/**
 * MARAG-R1: four retrieval tools instead of one, learned from demonstrations and then by reinforcement.
 *
 * Source: "MARAG-R1: Beyond Single Retriever via Reinforcement-Learned Multi-Tool Agentic Retrieval" (S219).
 * Differs from it: documents belong to the environment, with one sentence per fact, and nothing is embedded; the
 * tools search by similarity, by all words and by the subject of a document, and count matches.
 * Why: answers are exact, and no encoder fits beside a nano model in a page.
 */
const maragR1: CreateRecipe = recipe({
  name: "marag-r1",
  literature: "MARAG-R1",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "documents belong to the environment, with one sentence per fact, and nothing is embedded",
    "the tools search by similarity, by all words and by the subject of a document, and count matches",
  ],
  mechanism: "nominal",
  needs: ["search"],
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

/**
 * MaskSearch: texts with blanks that a search must fill, with more blanks over time; imitates teachers first, then
 * uses DAPO.
 *
 * Source: "MaskSearch: A Universal Pre-Training Framework to Enhance Agentic Search Capability" (S223).
 * Differs from it: documents belong to the environment, with one sentence per fact, and nothing is embedded; half
 * of the tasks are blanks and half are questions; a blank is a hop from one fact to the next; the teachers are the
 * environment's demonstrators.
 * Why: answers and blanks are exact, and no encoder fits beside a nano model in a page.
 */
const maskSearch: CreateRecipe = recipe({
  name: "mask-search",
  literature: "MaskSearch",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "documents belong to the environment, with one sentence per fact, and nothing is embedded",
    "half of the tasks are blanks and half are questions",
    "a blank is a hop from one fact to the next",
    "the teachers are the environment's demonstrators",
  ],
  mechanism: "partial",
  needs: ["search"],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    lower: 0.2,
    upper: 0.28,
    formatWeight: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ groupSize, lower, upper, formatWeight, startSteps, steps, learningRate }) => [
    tokenStage({
      name: "start",
      rollout: parts.teacherDemos(),
      losses: [parts.crossEntropy()],
      state: { teacher: parts.demonstrators(0, 0.3) },
      steps: startSteps,
      settings: { tasksPerStep: 16, learningRate },
    }),
    rewardStage({
      rollout: parts.searchingGroup(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.weighted([
        [parts.outcome(), { default: 1 }],
        [parts.format(), formatWeight],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.clipHigh(lower, upper)],
      state: { corpus: parts.ownCorpus },
      schedule: [parts.difficultyCurriculum()],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * SciResearcher: tasks built from evidence, each with its documents; verified demonstrations first, then
 * reinforcement learning.
 *
 * Source: "SciResearcher: Scaling Deep Research Agents for Frontier Scientific Reasoning" (S296).
 * Differs from it: documents belong to the environment, with one sentence per fact, and nothing is embedded; a
 * demonstration is verified if it found all of the evidence and the answer.
 * Why: answers are exact, and no encoder fits beside a nano model in a page.
 */
const sciResearcher: CreateRecipe = recipe({
  name: "sci-researcher",
  literature: "SciResearcher",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "documents belong to the environment, with one sentence per fact, and nothing is embedded",
    "a demonstration is verified if it found all of the evidence and the answer",
  ],
  mechanism: "nominal",
  needs: ["search"],
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [
        parts.verify(({ verification: { success, parts: said } }) => [
          success,
          holdsAll(String(said["found"]), String(said["relevant"])),
        ]),
      ],
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

/** True where every id needed is among those that searches found. */
function holdsAll(found: string, relevant: string): boolean {
  const seen = new Set(found.split(/[ |]/));
  return relevant.split(" ").every((id) => seen.has(id));
}

export const CORPORA_RECIPES: readonly CreateRecipe[] = [
  deepDxSearch,
  interactRag,
  maragR1,
  maskSearch,
  sciResearcher,
];
