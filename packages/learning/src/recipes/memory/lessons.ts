/** Lessons from earlier trajectories, read while the policy learns. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import { reflection } from "../../gradient-free/prompt-writing.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * GameCoder: continued pretraining, verified demonstrations, then rewards from running the output, with lessons of
 * earlier runs in the context.
 *
 * Source: "OpenGame: Open Agentic Coding for Games" (S251).
 * Differs from it: no games: tool calls are what runs; a lesson is the call of a success, in fixed wording.
 * Why: the effect of calls is verified exactly, and a nano model cannot write lessons.
 */
const gameCoder: CreateRecipe = recipe({
  name: "game-coder",
  literature: "GameCoder",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "no games: tool calls are what runs",
    "a lesson is the call of a success, in fixed wording",
  ],
  mechanism: "partial",
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

/**
 * SLEA-RL: fetches experiences after similar observations at every step, and compares steps in similar states.
 *
 * Source: "SLEA-RL: Step-Level Experience Augmented Reinforcement Learning for Multi-Turn Agentic Training".
 * Differs from it: an experience is the call of a success after an observation, in fixed wording; similarity of
 * observations is the share of common words.
 * Why: a nano model cannot write summaries, and word similarity needs no encoder.
 */
const sleaRl: CreateRecipe = recipe({
  name: "slea-rl",
  literature: "SLEA-RL",
  differs: [
    "an experience is the call of a success after an observation, in fixed wording",
    "similarity of observations is the share of common words",
  ],
  mechanism: "partial",
  needs: ["long-path"],
  schedule: ["one"],
  settings: {
    groupSize: 8,
    tasks: 12,
    lessons: 32,
    most: 1,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
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

/**
 * INSPO: trains a population of instructions beside the policy. Each is credited with its rollouts' rewards, weak
 * ones are pruned, and reflection on the worst rollouts creates new ones.
 *
 * Source: Zhou et al. 2025, "Agentic Policy Optimization via Instruction-Policy Co-Evolution", arXiv:2512.01945.
 * Differs from it: reflection reads the rollouts of the step; stored successes join the groups.
 * Why: a stored success shows what reflection on failures alone cannot know.
 */
const inspo: CreateRecipe = recipe({
  name: "inspo",
  literature: "INSPO",
  differs: ["reflection reads the rollouts of the step; stored successes join the groups"],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: {
    groupSize: 8,
    tasks: 12,
    temperature: 0.2,
    keep: 4,
    leastUses: 24,
    epsilon: 0.2,
    steps: 5,
    rounds: 5,
    learningRate: 3e-3,
  },
  stages: ({ groupSize, tasks, temperature, keep, leastUses, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.storedSuccess()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage({ scale: "std" }),
      losses: [parts.pgClip(epsilon)],
      writes: parts.promptEdits({ request: reflection, keep, leastUses }),
      state: {
        prompts: parts.prompts(["", "Use the tools before you answer."], {
          by: "soft",
          temperature,
        }),
        "good-buffer": parts.goodBuffer(),
      },
      steps,
      settings: { tasksPerStep: tasks, learningRate },
    }),
  ],
});

export const LESSON_RECIPES: readonly CreateRecipe[] = [gameCoder, sleaRl, inspo];
