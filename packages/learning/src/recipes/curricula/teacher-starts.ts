/** Several teachers first, then reinforcement. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { teacherStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * Chain-of-Agents: runs of several teachers become the policy's own turns, those that succeeded and
 * their faultless turns, before reinforcement.
 *
 * Source: "Chain-of-Agents: End-to-End Agent Foundation Models via Multi-Agent Distillation and
 * Agentic RL" (S106).
 * Differs from it: teachers are demonstrators that err more or less often, each acting alone.
 * Why: no stronger models are there; how often a demonstrator errs is known.
 */
const chainOfAgents: CreateRecipe = recipe({
  name: "chain-of-agents",
  literature: "Chain-of-Agents",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "teachers are demonstrators that err more or less often, each acting alone",
  ],
  mechanism: "nominal",
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    secondMistakes: 0.3,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, secondMistakes }) => [
    teacherStart({
      filters: [parts.success()],
      loss: parts.maskedCrossEntropy(),
      steps: startSteps,
      learningRate,
      secondMistakes,
    }),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});

/**
 * DIRL: runs of specialists at easy tasks first, then successes of all teachers at all tasks, then
 * reinforcement there.
 *
 * Source: "SpaceTools: Tool-Augmented Spatial Reasoning via Double Interactive RL" (S309).
 * Differs from it: specialists are teachers at the easiest level, not one a tool.
 * Why: one demonstrator knows all tools of an environment.
 */
const dirl: CreateRecipe = recipe({
  name: "dirl",
  literature: "DIRL",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "specialists are teachers at the easiest level, not one a tool",
  ],
  mechanism: "partial",
  schedule: ["skill-first"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    secondMistakes: 0.3,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, secondMistakes }) => [
    ...[{ name: "specialists", tasks: { difficulty: 0 } }, { name: "all tools" }].map((part) =>
      teacherStart({
        ...part,
        filters: [parts.success()],
        steps: startSteps,
        learningRate,
        secondMistakes,
      }),
    ),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});

/**
 * Orchard: productive turns of failed runs are learned too, those that failed are masked.
 *
 * Source: "Orchard: An Open-Source Agentic Modeling Framework" (S254).
 * Differs from it: a productive turn is one whose calls ran; group sizes are fixed.
 * Why: which calls ran is in every record, and groups of one size have baselines that are equally sure.
 */
const orchard: CreateRecipe = recipe({
  name: "orchard",
  literature: "Orchard",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "a productive turn is one whose calls ran",
    "group sizes are fixed",
  ],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    secondMistakes: 0.3,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, secondMistakes }) => [
    teacherStart({
      filters: [parts.stepMask()],
      loss: parts.maskedCrossEntropy(),
      steps: startSteps,
      learningRate,
      secondMistakes,
    }),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});

/**
 * AEGIS: demonstrations with faults put in, whose labels are known, teach in three ways at once: the sound
 * one is imitated, set against the faulty one, and reinforced against its siblings.
 *
 * Source: "AEGIS: Automated Error Generation and Identification for Multi-Agent Systems" (S024).
 * Differs from it: a fault is a decision of the demonstrator made at random; acting well is learned, not naming the fault; the three ways share a step.
 * Why: only of decisions that were made wrong on purpose is it known which one was the fault.
 */
const aegisIdentifier: CreateRecipe = recipe({
  name: "aegis-identifier",
  literature: "AEGIS identifier",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "a fault is a decision of the demonstrator made at random",
    "acting well is learned, not naming the fault",
    "the three ways share a step",
  ],
  mechanism: "nominal",
  schedule: ["one"],
  settings: {
    epsilon: 0.2,
    faults: 0.5,
    imitation: 0.5,
    contrast: 0.2,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ epsilon, faults, imitation, contrast, steps, learningRate }) => [
    rewardStage({
      rollout: parts.teacherDemos(),
      filters: [
        parts.verify(({ record: trajectory }) => [trajectory.terminated]),
        parts.mixedGroup(),
        parts.pairGap(),
      ],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [
        parts.pgClip(epsilon),
        {
          loss: parts.spanMask(parts.crossEntropy(), (_, { verification }) => verification.success),
          weight: imitation,
        },
        { loss: parts.contrast(), weight: contrast },
      ],
      state: { teacher: parts.demonstrators(0, faults, faults, faults) },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

export const TEACHER_START_RECIPES: readonly CreateRecipe[] = [
  chainOfAgents,
  dirl,
  orchard,
  aegisIdentifier,
];
