/**
 * MaskSearch: texts with blanks that a search has to fill, few at first and more later; a start from what
 * teachers did, then DAPO.
 *
 * Source: "MaskSearch: A Universal Pre-Training Framework to Enhance Agentic Search Capability" (S223).
 * Differs from it: documents are the environment's, one sentence a fact; nothing is embedded; half of the tasks are blanks, half are questions; blanks are hops from one fact to the next; teachers are the environment's demonstrators.
 * Why: answers and blanks are then exact, and no encoder fits beside a nano model in a page.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage, tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const maskSearch: CreateRecipe = recipe({
  name: "mask-search",
  literature: "MaskSearch",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "documents are the environment's, one sentence a fact; nothing is embedded",
    "half of the tasks are blanks, half are questions",
    "blanks are hops from one fact to the next",
    "teachers are the environment's demonstrators",
  ],
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
        [parts.outcome(), { standard: 1 }],
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
