/**
 * Controllable ideation: the reward is a vector, one dimension of it a reward model's word, and weights
 * say what is wanted of it.
 *
 * Source: "Learning to Generate Research Idea with Dynamic Control", arXiv:2412.14626.
 * Differs from it: dimensions are what the model expects, success and brevity; weights are settings of
 * the run and steer learning, not decoding; advantages are whitened over the batch.
 * Why: ideas have no verifier, so that dimensions are what is measured here; rollouts are single and have no
 * group.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { outcomeModel } from "./outcome-model.ts";

export const controllableIdeation: CreateRecipe = recipe({
  name: "controllable-ideation",
  literature: "Controllable ideation",
  differs: [
    "dimensions are what the model expects, success and brevity",
    "weights are settings of the run and steer learning, not decoding",
    "advantages are whitened over the batch",
  ],
  schedule: ["sft-rl"],
  settings: {
    epsilon: 0.2,
    startSteps: 2,
    modelSteps: 8,
    steps: 25,
    learningRate: 3e-3,
    expected: 0.5,
    success: 0.5,
    brevity: 0.2,
  },
  stages: ({
    epsilon,
    startSteps,
    modelSteps,
    steps,
    learningRate,
    expected,
    success,
    brevity,
  }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    outcomeModel({ steps: modelSteps, learningRate, at: "end" }),
    rewardStage({
      rollout: parts.single(),
      reward: parts.multiDimensional<"rm">({
        expected: { reward: parts.rewardModel(), weight: expected },
        success: { reward: parts.outcome(), weight: success },
        brevity: {
          reward: parts.economy({ toolCall: 0.05, turn: 0.05 }),
          weight: brevity,
          of: ({ components }) => -(components?.["cost"] ?? 0),
        },
      }),
      advantage: parts.reinforcePlusPlus(),
      losses: [parts.pgClip(epsilon)],
      state: { rm: parts.rewardModelState },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});
