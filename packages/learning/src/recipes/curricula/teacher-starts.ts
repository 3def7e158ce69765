/** Several teachers first, then reinforcement. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { teacherStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * Chain-of-Agents: imitates successful runs of several teachers, and error-free turns of other runs, before
 * reinforcement learning.
 *
 * Source: "Chain-of-Agents: End-to-End Agent Foundation Models via Multi-Agent Distillation and Agentic RL" (S106).
 * Differs from it: teachers are demonstrators with different error rates, each acting alone.
 * Why: there are no stronger models here, and a demonstrator's error rate is known.
 */
const chainOfAgents: CreateRecipe = recipe({
  name: "chain-of-agents",
  literature: "Chain-of-Agents",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "teachers are demonstrators with different error rates, each acting alone",
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
 * DIRL: imitates specialists on easy tasks, then successes of all teachers on all tasks, then learns by
 * reinforcement.
 *
 * Source: "SpaceTools: Tool-Augmented Spatial Reasoning via Double Interactive RL" (S309).
 * Differs from it: specialists are teachers at the easiest level, not one for each tool.
 * Why: one demonstrator knows all tools of an environment.
 */
const dirl: CreateRecipe = recipe({
  name: "dirl",
  literature: "DIRL",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "specialists are teachers at the easiest level, not one for each tool",
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
 * Orchard: also imitates productive turns of failed runs, and masks their failed turns.
 *
 * Source: "Orchard: An Open-Source Agentic Modeling Framework" (S254).
 * Differs from it: a turn is productive if its calls succeeded; group sizes are fixed.
 * Why: every record shows which calls succeeded, and groups of equal size have equally reliable baselines.
 */
const orchard: CreateRecipe = recipe({
  name: "orchard",
  literature: "Orchard",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "a turn is productive if its calls succeeded",
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
 * AEGIS: demonstrations with injected, labeled faults teach in three ways: the sound one is imitated, preferred
 * over the faulty one, and reinforced against its siblings.
 *
 * Source: "AEGIS: Automated Error Generation and Identification for Multi-Agent Systems" (S024).
 * Differs from it: a fault is a random decision of the demonstrator; the policy learns to act well, not to name the
 * fault; the three objectives share a step.
 * Why: the position of a fault is known only for decisions that were made wrong on purpose.
 */
const aegisIdentifier: CreateRecipe = recipe({
  name: "aegis-identifier",
  literature: "AEGIS identifier",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "a fault is a random decision of the demonstrator",
    "the policy learns to act well, not to name the fault",
    "the three objectives share a step",
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
