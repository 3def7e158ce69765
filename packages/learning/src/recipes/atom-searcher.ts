/**
 * Atom-Searcher: a reward model scores the units of a rollout, and its word fades to the outcome's.
 *
 * Source: "Atom-Searcher: Enhancing Agentic Deep Research via Fine-Grained Atomic Thought Reward",
 * arXiv:2508.12800.
 * Differs from it: a unit is a turn; the reward model is trained here, on outcomes.
 * Why: turns are what the environment answers, and outcomes are the only labels there are.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { outcomeModel } from "./outcome-model.ts";

export const atomSearcher: CreateRecipe = recipe({
  name: "atom-searcher",
  literature: "Atom-Searcher",
  differs: ["a unit is a turn", "the reward model is trained here, on outcomes"],
  schedule: ["stages"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    modelSteps: 8,
    steps: 25,
    learningRate: 3e-3,
    processWeight: 0.5,
  },
  stages: ({ groupSize, epsilon, modelSteps, steps, learningRate, processWeight }) => [
    outcomeModel({ steps: modelSteps, learningRate }),
    rewardStage({
      rollout: parts.group(groupSize),
      reward: parts.weighted<"rm">([
        [parts.modelledProcess(), processWeight],
        [parts.outcome(), { standard: 1 }],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { rm: parts.rewardModelState },
      schedule: [parts.weightAnneal({ process: [1, 0] })],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
