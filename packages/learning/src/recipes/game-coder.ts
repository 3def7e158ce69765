/**
 * GameCoder: continued pre-training, verified demonstrations, then reward from running what was written, with
 * lessons of earlier runs at hand.
 *
 * Source: "OpenGame: Open Agentic Coding for Games" (S251).
 * Differs from it: no games: what runs are the calls; a lesson is the call that a success made, in a fixed wording.
 * Why: what calls did is judged exactly, and a nano model writes no lessons.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage, tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const gameCoder: CreateRecipe = recipe({
  name: "game-coder",
  literature: "GameCoder",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "no games: what runs are the calls",
    "a lesson is the call that a success made, in a fixed wording",
  ],
  schedule: ["cpt-sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    textSteps: 2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    lessons: 32,
  },
  stages: ({ groupSize, epsilon, textSteps, startSteps, steps, learningRate, lessons }) => [
    tokenStage({
      name: "text",
      rollout: parts.demos(0.3),
      losses: [parts.languageModel()],
      steps: textSteps,
      settings: { tasksPerStep: 32, learningRate },
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
      reward: parts.gate(parts.outcome(), parts.exec(), ({ turns }) => turns.length > 0),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      writes: parts.stepLessons(),
      state: {
        experience: parts.experience("by-step", {
          limits: { entries: lessons, characters: 300 },
          most: 1,
        }),
      },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
