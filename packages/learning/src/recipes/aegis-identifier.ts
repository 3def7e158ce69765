/**
 * AEGIS: demonstrations with faults put in, whose labels are known, teach in three ways at once: the sound
 * one is imitated, set against the faulty one, and reinforced against its siblings.
 *
 * Source: "AEGIS: Automated Error Generation and Identification for Multi-Agent Systems" (S024).
 * Differs from it: a fault is a decision of the demonstrator made at random; acting well is learned, not naming the fault; the three ways share a step.
 * Why: only of decisions that were made wrong on purpose is it known which one was the fault.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const aegisIdentifier: CreateRecipe = recipe({
  name: "aegis-identifier",
  literature: "AEGIS identifier",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "a fault is a decision of the demonstrator made at random",
    "acting well is learned, not naming the fault",
    "the three ways share a step",
  ],
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
