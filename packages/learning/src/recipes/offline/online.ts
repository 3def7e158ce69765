/** Action values from stored trajectories, then from fresh ones. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardModelStage, rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";

/**
 * ConRFT: one objective on stored and fresh trajectories: calibrated conservative values plus imitation. Online, a
 * person takes over when the policy fails, and these turns are imitated.
 *
 * Source: Chen et al. 2025, "ConRFT: A Reinforced Fine-tuning Method for VLA Models via Consistency Policy",
 * arXiv:2502.05450; Nakamoto et al. 2023, "Cal-QL", arXiv:2303.05479.
 * Differs from it: the policy is not a consistency model; the person is the environment's demonstrator.
 * Why: the decoders sample token by token, and no person takes part.
 */
const conRft: CreateRecipe = recipe({
  name: "con-rft",
  literature: "ConRFT",
  differs: [
    "the policy is not a consistency model",
    "the person is the environment's demonstrator",
  ],
  mechanism: "partial",
  schedule: ["offline-online"],
  settings: {
    discount: 0.95,
    strength: 2.5,
    conservatism: 0.1,
    ownConstraint: 0.1,
    stored: 4,
    failures: 1,
    turns: 2,
    steps: 15,
    onlineSteps: 10,
    learningRate: 3e-3,
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

/**
 * MOTO: learns values and a policy close to the data from stored trajectories, then continues in a world model,
 * with values expanded over a few turns.
 *
 * Source: Rafailov et al. 2024, "MOTO: Offline Pre-training to Online Fine-tuning for Model-based Robot Learning",
 * arXiv:2401.03306.
 * Differs from it: there is one world model, so uncertainty is limited by its share of calls and by the length of
 * an expansion, not by disagreement.
 * Why: a run holds one base model, and several adapters over it would be fitted to the same calls.
 */
const moto: CreateRecipe = recipe({
  name: "moto",
  literature: "MOTO",
  differs: [
    "there is one world model, so uncertainty is limited by its share of calls and by the length of an expansion, not by disagreement",
  ],
  mechanism: "partial",
  schedule: ["offline-online"],
  settings: {
    discount: 0.95,
    expansion: 2,
    strength: 2.5,
    simulated: 0.5,
    stored: 4,
    size: 4,
    steps: 12,
    onlineSteps: 12,
    learningRate: 3e-3,
  },
  stages: ({ discount, expansion, strength, simulated, stored, size, learningRate, ...run }) => {
    const learned = {
      reward: parts.outcome(),
      losses: [parts.tdBc({ strength })],
    } as const;
    return [
      rewardStage({
        ...learned,
        name: "offline",
        rollout: parts.log(stored),
        advantage: parts.temporalDifference({ discount, chunk: 1, next: "logged" }),
        state: { critic: parts.valueHead },
        steps: run.steps,
        settings: { tasksPerStep: 32, learningRate },
      }),
      rewardStage({
        ...learned,
        name: "online",
        rollout: parts.simulatedTools({ size, share: simulated }),
        advantage: parts.temporalDifference({ discount, chunk: expansion, next: "best" }),
        state: { critic: parts.valueHead, "world-model": parts.worldModel },
        steps: run.onlineSteps,
        settings: { tasksPerStep: 12, learningRate },
      }),
    ];
  },
});

/**
 * RoboFuME: learns a success model and calibrated values from stored trajectories; then the policy improves with
 * the success model as its only reward.
 *
 * Source: Yang et al. 2023, "Robot Fine-Tuning Made Easy: Pre-Training Rewards and Policies for Autonomous
 * Real-World Reinforcement Learning", arXiv:2310.15145.
 * Differs from it: tasks start fresh; no policy resets the environment.
 * Why: an environment is created from its seed at no cost.
 */
const roboFume: CreateRecipe = recipe({
  name: "robo-fume",
  literature: "RoboFuME",
  differs: ["tasks start fresh; no policy resets the environment"],
  mechanism: "partial",
  schedule: ["offline-online"],
  settings: {
    discount: 0.95,
    strength: 2.5,
    conservatism: 0.1,
    stored: 4,
    modelSteps: 8,
    steps: 12,
    onlineSteps: 12,
    learningRate: 3e-3,
  },
  stages: ({ discount, strength, conservatism, stored, learningRate, ...run }) => {
    const learned = {
      reward: parts.rewardModel(),
      advantage: parts.temporalDifference({ discount, chunk: 1, next: "logged" }),
      losses: [
        parts.tdBc({
          strength,
          conservative: { coefficient: conservatism, isCalibrated: true },
        }),
      ],
      state: { critic: parts.valueHead, rm: parts.rewardModelState },
    } as const;
    return [
      rewardModelStage({
        name: "success",
        rollout: parts.log(stored),
        reward: parts.outcome(),
        losses: [parts.outcomeRegression("end")],
        state: { rm: parts.rewardModelState },
        steps: run.modelSteps,
        settings: { tasksPerStep: 48, learningRate },
      }),
      rewardStage({
        ...learned,
        name: "offline",
        rollout: parts.log(stored, { count: 1 }),
        steps: run.steps,
        settings: { tasksPerStep: 32, learningRate },
      }),
      rewardStage({
        ...learned,
        name: "online",
        rollout: parts.single(),
        steps: run.onlineSteps,
        settings: { tasksPerStep: 48, learningRate },
      }),
    ];
  },
});

export const ONLINE_RECIPES: readonly CreateRecipe[] = [conRft, moto, roboFume];
