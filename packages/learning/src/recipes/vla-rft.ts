/**
 * VLA-RFT: rollouts in a learned simulator, paid step by step for likeness to a reference.
 *
 * Source: "VLA-RFT: Vision-Language-Action Reinforcement Fine-tuning with Verified Rewards in Environment
 * Simulators" (S349).
 * Differs from it: no images: likeness is that of calls, in order; the reference is what the environment's demonstrator does; the simulator is a copy of the base, fitted to logged calls; a task ends where the environment says, which follows the calls unseen.
 * Why: the models read text alone, and no second base is there to simulate with.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const vlaRft: CreateRecipe = recipe({
  name: "vla-rft",
  literature: "VLA-RFT",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "no images: likeness is that of calls, in order",
    "the reference is what the environment's demonstrator does",
    "the simulator is a copy of the base, fitted to logged calls",
    "a task ends where the environment says, which follows the calls unseen",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.simulatedTools({ size: groupSize, references: 1 }),
      filters: [parts.ownTrajectories(), parts.mixedGroup()],
      reward: parts.likeReference(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "world-model": parts.worldModel },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
