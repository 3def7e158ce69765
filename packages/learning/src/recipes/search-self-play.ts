/**
 * Search Self-Play: one model searches for a question to set, and searches for its answer; a question counts
 * where its answer lies in what its setter had read, and is worth most where half of the tries are right.
 *
 * Source: "Search Self-play: Pushing the Frontier of Agent Capability without Supervision",
 * arXiv:2510.18821.
 * Differs from it: documents are the environment's; how a question is set is demonstrated beside it.
 * Why: answers are computed and not believed, and a nano model sets no task that it was never shown.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const searchSelfPlay: CreateRecipe = recipe({
  name: "search-self-play",
  literature: "Search Self-Play",
  differs: ["documents are the environment's", "how a question is set is demonstrated beside it"],
  schedule: ["one"],
  settings: {
    proposals: 4,
    attempts: 4,
    epsilon: 0.2,
    shownWeight: 0.2,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ proposals, attempts, epsilon, shownWeight, steps, learningRate }) => [
    rewardStage({
      rollout: parts.searchAndSolve(proposals, attempts),
      filters: [parts.answerableProposals()],
      reward: parts.frontier(parts.outcome()),
      advantage: parts.amongTries(),
      losses: [parts.pgClip(epsilon), { loss: parts.shownCrossEntropy(), weight: shownWeight }],
      state: { corpus: parts.ownCorpus },
      steps,
      settings: { tasksPerStep: 4, learningRate },
    }),
  ],
});
