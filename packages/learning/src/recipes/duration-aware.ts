/**
 * Duration-aware RL: slow turns weigh as much as the time they took, with partial pay on the way.
 *
 * Source: "Reinforcement Learning for Machine Learning Engineering Agents" (S282).
 * Differs from it: a turn takes as long as its tokens: trajectories hold no times; the lag is a fixed
 * number of updates, corrected by truncated weights.
 * Why: times of a machine under load cannot be repeated, numbers of tokens and a fixed lag can.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const durationAware: CreateRecipe = recipe({
  name: "duration-aware",
  literature: "Duration-aware RL",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "a turn takes as long as its tokens: trajectories hold no times",
    "the lag is a fixed number of updates, corrected by truncated weights",
  ],
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    lag: 1,
    secondsPerToken: 0.02,
  },
  stages: ({ groupSize, epsilon, steps, learningRate, lag, secondsPerToken }) => [
    rewardStage({
      rollout: parts.asynchronous(parts.group(groupSize)),
      filters: [parts.mixedGroup()],
      reward: parts.weighted([
        [parts.outcome(), { standard: 0.5 }],
        [parts.progress(), { standard: 0.5 }],
      ]),
      advantage: parts.durationWeighted(({ trajectory }, turn) => {
        const { start, end } = trajectory.turns[turn] ?? { start: 0, end: 0 };
        return secondsPerToken * Math.max(1, end - start);
      }),
      losses: [parts.truncatedImportance(parts.pgClip(epsilon))],
      steps,
      settings: { tasksPerStep: 12, learningRate, lag },
    }),
  ],
});
