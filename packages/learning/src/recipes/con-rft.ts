/**
 * ConRFT: one objective on stored runs and on fresh ones: calibrated conservative values and imitation.
 * Online a person takes over where the policy fails, and what the person does is imitated.
 *
 * Source: Chen et al. 2025, "ConRFT: A Reinforced Fine-tuning Method for VLA Models via Consistency
 * Policy", arXiv:2502.05450; Nakamoto et al. 2023, "Cal-QL", arXiv:2303.05479.
 * Differs from it: the policy is not a consistency model; the person is the environment's demonstrator.
 * Why: the engine's decoders sample token by token, and no person is there.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const conRft: CreateRecipe = recipe({
  name: "con-rft",
  literature: "ConRFT",
  differs: [
    "the policy is not a consistency model",
    "the person is the environment's demonstrator",
  ],
  schedule: ["offline-online"],
  settings: {
    ...{ discount: 0.95, strength: 2.5, conservatism: 0.1, ownConstraint: 0.1 },
    ...{ stored: 4, failures: 1, turns: 2, steps: 15, onlineSteps: 10, learningRate: 3e-3 },
  },
  stages: ({ discount, strength, conservatism, ownConstraint, stored, ...run }) => {
    const learned = {
      reward: parts.outcome(),
      advantage: parts.temporalDifference({ discount, chunk: 1, next: "logged" }),
      losses: [
        parts.tdBc({
          strength,
          conservative: { coefficient: conservatism, isCalibrated: true },
          // Stored runs and a person's turns are shown; the policy's own are not.
          constraintOf: ({ trajectory: { actors } }, turn) =>
            actors?.[turn] === "policy" ? ownConstraint : 1,
        }),
      ],
      state: { critic: parts.valueHead },
    } as const;
    return [
      rewardStage({
        ...learned,
        name: "offline",
        rollout: parts.log(stored, { count: 1 }),
        steps: run.steps,
        settings: { tasksPerStep: 32, learningRate: run.learningRate },
      }),
      rewardStage({
        ...learned,
        name: "online",
        rollout: parts.takeover(1, { failures: run.failures, turns: run.turns }),
        steps: run.onlineSteps,
        settings: { tasksPerStep: 48, learningRate: run.learningRate },
      }),
    ];
  },
});
