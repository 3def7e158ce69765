/** Reinforcement in environments that are changed: budgets, contracts, missing tools. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { underContract } from "../../rollouts/changed-environments.ts";
import { structuralTokens } from "../../losses/policy/structural-tokens.ts";
import { auxiliaryToolNeed } from "../../losses/imitation/tool-need.ts";
import { toolNeedLabels } from "../../filters/tool-benefit.ts";
import { withoutRefused } from "../../filters/participants.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * PARA-GRPO: the form of calls is learned at the tokens that give them their form, and budgets drawn for
 * each task make calls worth their while.
 *
 * Source: "ParaVT: Taming the Tool Prior Paradox for Parallel Tool Use in Agentic Video Reinforcement
 * Learning" (S258).
 * Differs from it: no video; structural tokens are those that every call has; budgets are of calls and of turns, and said at the beginning.
 * Why: the models read text alone, and a budget that is said can be minded.
 */
const paraGrpo: CreateRecipe = recipe({
  name: "para-grpo",
  literature: "PARA-GRPO",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "no video",
    "structural tokens are those that every call has",
    "budgets are of calls and of turns, and said at the beginning",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    leastCalls: 2,
    mostCalls: 6,
    mostTurns: 8,
    formWeight: 0.5,
  },
  stages: ({
    groupSize,
    epsilon,
    steps,
    learningRate,
    leastCalls,
    mostCalls,
    mostTurns,
    formWeight,
  }) => [
    rewardStage({
      rollout: parts.randomEnvironments(
        {
          toolBudget: { from: leastCalls, to: mostCalls },
          turnBudget: { from: mostTurns, to: mostTurns },
          faultRate: { from: 0, to: 0 },
        },
        groupSize,
      ),
      filters: [parts.mixedGroup()],
      reward: parts.weighted([
        [parts.outcome(), { default: 1 }],
        [parts.format(), 0],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [
        parts.pgClip(epsilon),
        { loss: structuralTokens(parts.pgClip(epsilon)), weight: formWeight },
      ],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * SEVerA: a contract on calls holds whatever the weights: what breaks it is refused before any tool sees it,
 * and a fallback ends the rollout. Only the soft goal is learned.
 *
 * Source: "SEVerA: Verified Synthesis of Self-Evolving Agents" (S302).
 * Differs from it: the contract: known tools, arguments of their schema, a bound on calls; the fallback says nothing and ends the rollout; refused turns carry no loss.
 * Why: these can be checked before a call runs, and what is refused was not the policy's to learn.
 */
const severa: CreateRecipe = recipe({
  name: "severa",
  literature: "SEVerA",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the contract: known tools, arguments of their schema, a bound on calls",
    "the fallback says nothing and ends the attempt",
    "refused turns carry no loss",
  ],
  mechanism: "partial",
  schedule: ["stages"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, mostCalls: 4 },
  stages: ({ groupSize, epsilon, steps, learningRate, mostCalls }) => [
    groupReinforcement({
      groupSize,
      name: "easy",
      difficulty: 0,
      rollout: underContract(mostCalls, groupSize),
      filters: [withoutRefused()],
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
    groupReinforcement({
      groupSize,
      name: "all",
      rollout: underContract(mostCalls, groupSize),
      filters: [withoutRefused()],
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

/**
 * AKBE: every task is tried with tools and without; what the pair shows labels the need for tools and adds
 * a supervised signal instead of a penalty.
 *
 * Source: "Efficient Agentic Reinforcement Learning with On-Policy Intrinsic Knowledge Boundary
 * Enhancement" (S134).
 * Differs from it: each arm is a group of its own and learns too; the signal is cross-entropy of successes that called where tools are needed, and did not where they are not.
 * Why: both arms are rolled out anyway, and a success of either shows what was right there.
 */
const akbe: CreateRecipe = recipe({
  name: "akbe",
  literature: "AKBE",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "each arm is a group of its own and learns too",
    "the signal is cross-entropy of successes that called where tools are needed, and did not where they are not",
  ],
  mechanism: "whole",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, need: 0.1 },
  stages: ({ groupSize, epsilon, steps, learningRate, need }) => [
    rewardStage({
      rollout: parts.pairedTools(groupSize),
      filters: [toolNeedLabels(), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon), { loss: auxiliaryToolNeed(), weight: need }],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

export const CHANGED_RECIPES: readonly CreateRecipe[] = [paraGrpo, severa, akbe];
