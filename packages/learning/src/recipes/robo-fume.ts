/**
 * RoboFuME: a success model and calibrated values are learned from stored runs, then the policy improves by
 * itself with the model's word as its only reward.
 *
 * Source: Yang et al. 2023, "Robot Fine-Tuning Made Easy: Pre-Training Rewards and Policies for Autonomous
 * Real-Environment Reinforcement Learning", arXiv:2310.15145.
 * Differs from it: tasks are begun anew; no policy undoes what was done.
 * Why: an environment is made anew from its seed at no cost.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardModelStage, rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const roboFume: CreateRecipe = recipe({
  name: "robo-fume",
  literature: "RoboFuME",
  differs: ["tasks are begun anew; no policy undoes what was done"],
  schedule: ["offline-online"],
  settings: {
    ...{ discount: 0.95, strength: 2.5, conservatism: 0.1, stored: 4 },
    ...{ modelSteps: 8, steps: 12, onlineSteps: 12, learningRate: 3e-3 },
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
