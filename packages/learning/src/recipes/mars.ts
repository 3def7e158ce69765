/**
 * MARS: a policy meets itself, every turn is credited, and each side on its own scale.
 *
 * Source: "MARS: Reinforcing Multi-Agent Reasoning of LLMs through Self-Play in Strategic Games",
 * arXiv:2510.15414.
 * Differs from it: the game is who solves a task better; all of a match is won or lost at its end.
 * Why: the environments have tasks for one, which two can try; nothing is won in between.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
export const mars: CreateRecipe = recipe({
  name: "mars",
  literature: "MARS",
  differs: ["the game is who solves a task better", "all of a match is won or lost at its end"],
  schedule: ["one"],
  settings: { matches: 6, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ matches, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.selfPlay(matches),
      reward: parts.matchOutcome(),
      advantage: parts.perAgentTurns(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 8, learningRate },
    }),
  ],
});
