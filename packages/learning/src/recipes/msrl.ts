/**
 * MSRL: a reward on the structure of what was called, joined later by a reward model's word on what it
 * came to.
 *
 * Source: "Breaking the SFT Plateau: Multimodal Structured Reinforcement Learning for Chart-to-Code
 * Generation", arXiv:2508.13587.
 * Differs from it: no charts; structure is whether calls ran; the second reward is a model trained on
 * outcomes.
 * Why: the models read text alone, and what ran is in every record.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { outcomeModel } from "./outcome-model.ts";

export const msrl: CreateRecipe = recipe({
  name: "msrl",
  literature: "MSRL",
  differs: [
    "no charts",
    "structure is whether calls ran",
    "the second reward is a model trained on outcomes",
  ],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    modelSteps: 8,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ groupSize, epsilon, startSteps, modelSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    outcomeModel({ steps: modelSteps, learningRate, at: "end" }),
    rewardStage({
      rollout: parts.group(groupSize),
      reward: parts.weighted<"rm">([
        [parts.exec(), { standard: 1 }],
        [parts.rewardModel(), { standard: 1 }],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { rm: parts.rewardModelState },
      schedule: [parts.weightAnneal({ rm: [0, 1] })],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
