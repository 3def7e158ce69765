/** Lessons from earlier trajectories, read while the policy learns. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import { reflection } from "../../gradient-free/prompt-writing.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * GameCoder: continued pre-training, verified demonstrations, then reward from running what was written, with
 * lessons of earlier runs at hand.
 *
 * Source: "OpenGame: Open Agentic Coding for Games" (S251).
 * Differs from it: no games: what runs are the calls; a lesson is the call that a success made, in a fixed wording.
 * Why: what calls did is judged exactly, and a nano model writes no lessons.
 */
const gameCoder: CreateRecipe = recipe({
  name: "game-coder",
  literature: "GameCoder",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "no games: what runs are the calls",
    "a lesson is the call that a success made, in a fixed wording",
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
 * SLEA-RL: what helped after like observations is fetched at every step, and steps are compared among like
 * states.
 *
 * Source: "SLEA-RL: Step-Level Experience Augmented Reinforcement Learning for Multi-Turn Agentic Training".
 * Differs from it: an experience is the call that a success made after an observation, in a fixed wording,
 * where the paper lets a model summarize; likeness is shared words.
 * Why: a nano model writes no summaries, and likeness by words needs no encoder.
 */
const sleaRl: CreateRecipe = recipe({
  name: "slea-rl",
  literature: "SLEA-RL",
  differs: [
    "an experience is the call that a success made after an observation, in a fixed wording",
    "likeness of observations is shared words",
  ],
  mechanism: "partial",
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
 * INSPO: a population of instructions is trained beside the policy: each is credited with what runs under it
 * earn, weak ones are pruned, and new ones come from reflection on the worst rollouts.
 *
 * Source: Zhou et al. 2025, "Agentic Policy Optimization via Instruction-Policy Co-Evolution",
 * arXiv:2512.01945.
 * Differs from it: reflection reads the rollouts of the step and a stored success of each task.
 * Why: a stored success shows what a reflection on failures alone cannot know.
 */
const inspo: CreateRecipe = recipe({
  name: "inspo",
  literature: "INSPO",
  differs: ["reflection reads the rollouts of the step, stored successes join the groups"],
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
