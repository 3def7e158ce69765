/** Reinforcement where a model answers the calls. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { likeReference } from "../../rewards/reference-likeness.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * AutoCoA: after a start from demonstrations, part of what tools would say comes from a model of the
 * environment while the policy learns when to act.
 *
 * Source: "Agent models: Internalizing Chain-of-Action Generation into Reasoning models" (S028).
 * Differs from it: the simulator is a copy of the base, fitted to logged calls; the share of calls that it answers is a setting; a task ends where the environment says, which follows the calls unseen.
 * Why: no second base is there, and the environment says when a task is over whatever a simulator believes.
 */
const autoCoa: CreateRecipe = recipe({
  name: "auto-coa",
  literature: "AutoCoA",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the simulator is a copy of the base, fitted to logged calls",
    "the share of calls that it answers is a setting",
    "a task ends where the environment says, which follows the calls unseen",
  ],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    imagined: 0.5,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, imagined }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.simulatedTools({ size: groupSize, share: imagined }),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "world-model": parts.worldModel },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * Simia: what tools say and how a rollout ended both come from a model of the environment.
 *
 * Source: "Simulating Environments with Reasoning Models for Agent Training" (S303).
 * Differs from it: the simulator is a copy of the base, fitted to logged calls; its verdict is one word after the last turn; a task ends where the environment says, which follows the calls unseen.
 * Why: no second base is there, and the environment says when a task is over whatever a simulator believes.
 */
const simia: CreateRecipe = recipe({
  name: "simia",
  literature: "Simia",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the simulator is a copy of the base, fitted to logged calls",
    "its verdict is one word after the last turn",
    "a task ends where the environment says, which follows the calls unseen",
  ],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.simulatedTools({ size: groupSize, judges: true }),
      filters: [parts.mixedGroup()],
      reward: parts.imaginedOutcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "world-model": parts.worldModel },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * SSRL: the policy answers its own searches in training; only its answer is judged, and its form.
 *
 * Source: "SSRL: Self-Search Reinforcement Learning" (S312).
 * Differs from it: the policy answers in a conversation of its own, with the roles changed; a task ends where the environment says, which follows the calls unseen.
 * Why: one model is what a page holds, and the environment says when a task is over.
 */
const ssrl: CreateRecipe = recipe({
  name: "ssrl",
  literature: "SSRL",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the policy answers in a conversation of its own, with the roles changed",
    "a task ends where the environment says, which follows the calls unseen",
  ],
  mechanism: "whole",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, formatWeight: 0.2 },
  stages: ({ groupSize, epsilon, steps, learningRate, formatWeight }) => [
    groupReinforcement({
      groupSize,
      rollout: parts.selfAnswered(groupSize),
      reward: parts.weighted([
        [parts.outcome(), { default: 1 }],
        [parts.format(), formatWeight],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

/**
 * VLA-RFT: rollouts in a learned simulator, paid step by step for likeness to a reference.
 *
 * Source: "VLA-RFT: Vision-Language-Action Reinforcement Fine-tuning with Verified Rewards in World
 * Simulators" (S349).
 * Differs from it: no images: likeness is that of calls, in order; the reference is what the environment's demonstrator does; the simulator is a copy of the base, fitted to logged calls; a task ends where the environment says, which follows the calls unseen.
 * Why: the models read text alone, and no second base is there to simulate with.
 */
const vlaRft: CreateRecipe = recipe({
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
  mechanism: "partial",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.simulatedTools({ size: groupSize, references: 1 }),
      filters: [parts.ownTrajectories(), parts.mixedGroup()],
      reward: likeReference(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "world-model": parts.worldModel },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

export const SIMULATED_RECIPES: readonly CreateRecipe[] = [autoCoa, simia, ssrl, vlaRft];
