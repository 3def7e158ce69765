/** Reinforcement where a model answers the calls. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { likeReference } from "../../rewards/reference-likeness.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * AutoCoA: after a start from demonstrations, a world model answers part of the tool calls while the policy learns
 * when to act.
 *
 * Source: "Agent models: Internalizing Chain-of-Action Generation into Reasoning models" (S028).
 * Differs from it: the simulator is a copy of the base model, fitted to logged calls; the share of simulated calls
 * is a setting; the environment, which still runs the calls, decides when a task ends.
 * Why: there is no second base model, and the environment knows when a task is over.
 */
const autoCoa: CreateRecipe = recipe({
  name: "auto-coa",
  literature: "AutoCoA",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the simulator is a copy of the base model, fitted to logged calls",
    "the share of simulated calls is a setting",
    "the environment, which still runs the calls, decides when a task ends",
  ],
  mechanism: "partial",
  needs: ["long-path"],
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
 * Simia: a world model predicts both tool results and the outcome of a rollout.
 *
 * Source: "Simulating Environments with Reasoning Models for Agent Training" (S303).
 * Differs from it: the simulator is a copy of the base model, fitted to logged calls; its verdict is one word after
 * the last turn; the environment, which still runs the calls, decides when a task ends.
 * Why: there is no second base model, and the environment knows when a task is over.
 */
const simia: CreateRecipe = recipe({
  name: "simia",
  literature: "Simia",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the simulator is a copy of the base model, fitted to logged calls",
    "its verdict is one word after the last turn",
    "the environment, which still runs the calls, decides when a task ends",
  ],
  mechanism: "partial",
  needs: ["turn-rewards"],
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
 * SSRL: in training, the policy answers its own searches; the reward covers only its answer and its format.
 *
 * Source: "SSRL: Self-Search Reinforcement Learning" (S312).
 * Differs from it: the policy answers in a separate conversation with exchanged roles; the environment, which still
 * runs the calls, decides when a task ends.
 * Why: a page holds one model, and the environment knows when a task is over.
 */
const ssrl: CreateRecipe = recipe({
  name: "ssrl",
  literature: "SSRL",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the policy answers in a separate conversation with exchanged roles",
    "the environment, which still runs the calls, decides when a task ends",
  ],
  mechanism: "whole",
  needs: ["turn-rewards"],
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
 * VLA-RFT: rollouts in a learned simulator, with a reward at each step for similarity to a reference.
 *
 * Source: "VLA-RFT: Vision-Language-Action Reinforcement Fine-tuning with Verified Rewards in World Simulators"
 * (S349).
 * Differs from it: no images: similarity compares the calls in order; the reference is a demonstration of the
 * environment; the simulator is a copy of the base model, fitted to logged calls; the environment, which still runs
 * the calls, decides when a task ends.
 * Why: the models read only text, and there is no second base model to simulate with.
 */
const vlaRft: CreateRecipe = recipe({
  name: "vla-rft",
  literature: "VLA-RFT",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "no images: similarity compares the calls in order",
    "the reference is a demonstration of the environment",
    "the simulator is a copy of the base model, fitted to logged calls",
    "the environment, which still runs the calls, decides when a task ends",
  ],
  mechanism: "partial",
  needs: ["turn-rewards"],
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
