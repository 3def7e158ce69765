/** Rewards in which calls, turns or modes have a price or a bonus. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * ASTRA: verified demonstrations, then a reward for the whole trajectory that includes the cost of calls.
 *
 * Source: "ASTRA: Automated Synthesis of agentic Trajectories and Reinforcement Arenas" (S085).
 * Differs from it: the arenas are the built-in environments.
 * Why: they have exact verifiers, which synthesized arenas would need.
 */
const astra: CreateRecipe = recipe({
  name: "astra",
  literature: "ASTRA",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the arenas are the built-in environments",
  ],
  mechanism: "nominal",
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    callCost: 0.05,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, callCost }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.verify()],
    }),
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.outcome(), { default: 0.5 }],
        [parts.economy({ toolCall: callCost }), { default: 0.5 }],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

/**
 * FusionAgent: models are tools, and each call has a price.
 *
 * Source: "FusionAgent: A Multimodal Agent with Dynamic Model Selection for Human Recognition" (S169).
 * Differs from it: tools of the environment take the place of models.
 * Why: one process has one model, and a better tool takes the place of a better model.
 */
const fusionAgent: CreateRecipe = recipe({
  name: "fusion-agent",
  literature: "FusionAgent",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "tools of the environment take the place of models",
  ],
  mechanism: "nominal",
  needs: ["several-calls"],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, callCost: 0.05 },
  stages: ({ groupSize, epsilon, steps, learningRate, callCost }) => [
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.outcome(), { default: 0.5 }],
        [parts.economy({ toolCall: callCost }), { default: 0.5 }],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

/**
 * RemoteAgent: rewards efficiency only if the answer is right, so that the policy calls tools only when it needs
 * them.
 *
 * Source: "RemoteAgent: Bridging Vague Human Intents and Earth Observation with RL-based Agentic MLLMs" (S284).
 * Differs from it: calls replace hand-overs to specialists.
 * Why: one process has one agent, which can hand work over only to tools.
 */
const remoteAgent: CreateRecipe = recipe({
  name: "remote-agent",
  literature: "RemoteAgent",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "calls replace hand-overs to specialists",
  ],
  mechanism: "partial",
  needs: ["long-path"],
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    callCost: 0.1,
    allowance: 0.3,
  },
  stages: ({ groupSize, epsilon, steps, learningRate, callCost, allowance }) => [
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.outcome(), { default: 0.5 }],
        [parts.economy({ toolCall: callCost }, { kind: "gated", allowance }), { default: 0.5 }],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

/**
 * AI-SearchPlanner: keeps utility and cost as two numbers, and a weight chooses the point on their Pareto front.
 *
 * Source: "AI-SearchPlanner: Modular Agentic Search via Pareto-Optimal Multi-Objective Reinforcement Learning"
 * (S076).
 * Differs from it: the planner is the whole policy; the baseline is a moving average, because the abstract names no
 * estimator.
 * Why: planner and answerer share one conversation here, and the environment judges the answer.
 */
const aiSearchPlanner: CreateRecipe = recipe({
  name: "ai-search-planner",
  literature: "AI-SearchPlanner",
  differs: [
    "the loss is a token mean over the minibatch",
    "the planner is the whole policy",
    "the baseline is a moving average, because the abstract names no estimator",
  ],
  mechanism: "partial",
  needs: ["several-calls"],
  schedule: ["one"],
  settings: { thrift: 0.1, decay: 0.98, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ thrift, decay, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      reward: parts.multiDimensional({
        utility: { reward: parts.outcome(), weight: 1 },
        price: {
          reward: parts.economy({ toolCall: 1 }, { kind: "decoupled" }),
          of: ({ components }) => -(components?.["cost"] ?? 0),
          weight: thrift,
        },
      }),
      advantage: parts.movingBaselineAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { baseline: parts.baseline({ decay, prior: 0.5 }) },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});

/**
 * DeepSport: a bonus for using tools that counts only if the answer is right.
 *
 * Source: "DeepSport: A Multimodal Large Language Model for Comprehensive Sports Video Reasoning via Agentic
 * Reinforcement Learning" (S124).
 * Differs from it: the loss is a token mean over the minibatch; groups with equal rewards are rolled out again.
 * Why: a token mean gives long trajectories their full weight, and groups of a nano model often have equal rewards.
 */
const deepSport: CreateRecipe = recipe({
  name: "deep-sport",
  literature: "DeepSport",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
  ],
  mechanism: "whole",
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    bonus: 0.2,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, bonus }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    groupReinforcement({
      groupSize,
      reward: parts.gate(parts.outcome(), parts.callBonus(bonus)),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

/**
 * IndusAgent: a gated sum of outcome, cost of calls and bonus for calls, so that tools are used where they help.
 *
 * Source: "IndusAgent: Reinforcing Open-Vocabulary Industrial Anomaly Detection with Agentic Tools" (S190).
 * Differs from it: weights are settings, because the abstract gives none.
 * Why: the run can choose what the abstract leaves open.
 */
const indusAgent: CreateRecipe = recipe({
  name: "indus-agent",
  literature: "IndusAgent",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "weights are settings, because the abstract gives none",
  ],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    callCost: 0.05,
    bonus: 0.2,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, callCost, bonus }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    groupReinforcement({
      groupSize,
      reward: parts.gate(
        parts.weighted([
          [parts.outcome(), { default: 0.5 }],
          [parts.economy({ toolCall: callCost }), { default: 0.5 }],
        ]),
        parts.callBonus(bonus),
      ),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

/**
 * A2FM: after a start from demonstrations, each group has a share of every mode, and the reward includes the mode's
 * cost.
 *
 * Source: "A^2FM: An Adaptive Agent Foundation Model for Tool-Aware Hybrid Reasoning", arXiv:2510.12838.
 * Differs from it: a mode is a sentence in the system message.
 * Why: a nano model can distinguish modes by a sentence, while special tokens would need another vocabulary.
 */
const a2fm: CreateRecipe = recipe({
  name: "a2fm",
  literature: "A2FM / APO",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "a mode is a sentence in the system message",
  ],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: {
    perMode: 4,
    callCost: 0.02,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ perMode, callCost, epsilon, startSteps, steps, learningRate }) => [
    tokenStage({
      name: "start",
      rollout: parts.demos(),
      losses: [parts.crossEntropy()],
      steps: startSteps,
      settings: { tasksPerStep: 32, learningRate },
    }),
    rewardStage({
      rollout: parts.modeStrata(["", "Be brief."], perMode),
      filters: [parts.mixedGroup()],
      reward: parts.weighted([
        [parts.outcome(), { default: 0.5 }],
        [parts.economy({ toolCall: callCost }), { default: 0.5 }],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

export const COST_RECIPES: readonly CreateRecipe[] = [
  astra,
  fusionAgent,
  remoteAgent,
  aiSearchPlanner,
  deepSport,
  indusAgent,
  a2fm,
];
