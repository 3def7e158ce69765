/**
 * PRFT: a reward model learned from stored trajectories stands in for the reward that is missing once the
 * environment has changed.
 *
 * Source: "Adapting Image-based RL Policies via Predicted Rewards" (S022).
 * Differs from it: the tasks stay as they are, the verifier's reward is what is gone after the stored
 * trajectories; advantages are whitened over the batch.
 * Why: the environments' tasks are those that have verifiers; rollouts are single and have no group.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardModelStage, rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const prft: CreateRecipe = recipe({
  name: "prft",
  literature: "PRFT",
  differs: [
    "the tasks stay as they are, the verifier's reward is what is gone after the stored trajectories",
    "advantages are whitened over the batch",
  ],
  schedule: ["offline-online"],
  settings: { epsilon: 0.2, modelSteps: 8, steps: 25, learningRate: 3e-3 },
  stages: ({ epsilon, modelSteps, steps, learningRate }) => [
    rewardModelStage({
      name: "reward-model",
      rollout: parts.log(),
      reward: parts.outcome(),
      losses: [parts.outcomeRegression("end")],
      state: { rm: parts.rewardModelState },
      steps: modelSteps,
      settings: { tasksPerStep: 32, learningRate },
    }),
    rewardStage({
      rollout: parts.single(),
      reward: parts.rewardModel(),
      advantage: parts.reinforcePlusPlus(),
      losses: [parts.pgClip(epsilon)],
      state: { rm: parts.rewardModelState },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});
