/** Reinforcement in environments that are changed: budgets, contracts, missing tools. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { underContract } from "../../rollouts/changed-environments.ts";
import { structuralTokens } from "../../losses/policy/structural-tokens.ts";
import { auxiliaryToolNeed } from "../../losses/imitation/tool-need.ts";
import { toolNeedLabels } from "../../filters/tool-benefit.ts";
import { dropRefusedTurns } from "../../filters/participants.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * PARA-GRPO: trains the format of calls on the structural tokens, and draws budgets for each task so that calls
 * must be worth their cost.
 *
 * Source: "ParaVT: Taming the Tool Prior Paradox for Parallel Tool Use in Agentic Video Reinforcement Learning"
 * (S258).
 * Differs from it: no video; structural tokens are those that all calls share; budgets limit calls and turns and
 * are stated at the start.
 * Why: the models read only text, and a stated budget can be respected.
 */
const paraGrpo: CreateRecipe = recipe({
  name: "para-grpo",
  literature: "PARA-GRPO",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "no video",
    "structural tokens are those that all calls share",
    "budgets limit calls and turns and are stated at the start",
  ],
  mechanism: "partial",
  needs: ["several-calls"],
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
 * SEVerA: a contract on calls that holds for any weights: an offending call is refused before a tool sees it, and a
 * fallback ends the rollout. Only the soft goal is learned.
 *
 * Source: "SEVerA: Verified Synthesis of Self-Evolving Agents" (S302).
 * Differs from it: the contract covers known tools, valid arguments and a limit on calls; the fallback ends the
 * rollout without an answer; refused turns carry no loss.
 * Why: these conditions can be checked before a call runs, and the policy cannot learn from a refused call.
 */
const severa: CreateRecipe = recipe({
  name: "severa",
  literature: "SEVerA",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the contract covers known tools, valid arguments and a limit on calls",
    "the fallback ends the rollout without an answer",
    "refused turns carry no loss",
  ],
  mechanism: "partial",
  needs: ["several-calls"],
  schedule: ["stages"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, mostCalls: 4 },
  stages: ({ groupSize, epsilon, steps, learningRate, mostCalls }) => [
    groupReinforcement({
      groupSize,
      name: "easy",
      difficulty: 0,
      rollout: underContract(mostCalls, groupSize),
      filters: [dropRefusedTurns()],
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
    groupReinforcement({
      groupSize,
      name: "all",
      rollout: underContract(mostCalls, groupSize),
      filters: [dropRefusedTurns()],
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

/**
 * AKBE: tries every task with tools and without. The pair labels whether tools are needed and adds a supervised
 * signal instead of a penalty.
 *
 * Source: "Efficient Agentic Reinforcement Learning with On-Policy Intrinsic Knowledge Boundary Enhancement"
 * (S134).
 * Differs from it: each arm is its own group and is trained too; the signal is cross-entropy on successes that used
 * tools where they are needed and none where they are not.
 * Why: both arms are rolled out anyway, and a success of either shows the right choice.
 */
const akbe: CreateRecipe = recipe({
  name: "akbe",
  literature: "AKBE",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "each arm is its own group and is trained too",
    "the signal is cross-entropy on successes that used tools where they are needed and none where they are not",
  ],
  mechanism: "whole",
  needs: ["several-calls"],
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
