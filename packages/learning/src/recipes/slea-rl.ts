/**
 * SLEA-RL: what helped after like observations is fetched at every step, and steps are compared among like
 * states.
 *
 * Source: "SLEA-RL: Step-Level Experience Augmented Reinforcement Learning for Multi-Turn Agentic Training".
 * Differs from it: an experience is the call that a success made after an observation, in a fixed wording,
 * where the paper lets a model summarise; likeness is shared words.
 * Why: a nano model writes no summaries, and likeness by words needs no encoder.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const sleaRl: CreateRecipe = recipe({
  name: "slea-rl",
  literature: "SLEA-RL",
  differs: [
    "an experience is the call that a success made after an observation, in a fixed wording",
    "likeness of observations is shared words",
  ],
  schedule: ["one"],
  settings: {
    ...{ groupSize: 8, tasks: 12, lessons: 32, most: 1 },
    ...{ epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  },
  stages: ({ groupSize, tasks, lessons, most, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      reward: parts.outcome(),
      advantage: parts.likeObservations(),
      losses: [parts.pgClip(epsilon)],
      writes: parts.stepLessons(),
      state: {
        experience: parts.experience("by-step", {
          limits: { entries: lessons, characters: 300 },
          most,
        }),
      },
      steps,
      settings: { tasksPerStep: tasks, learningRate },
    }),
  ],
});
