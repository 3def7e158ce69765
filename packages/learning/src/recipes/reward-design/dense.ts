/** Rewards along the way, not at the end alone. */
import { type CreateRecipe, oneOf, recipe } from "../../composition/definition.ts";
import type { RewardPart } from "../../composition/part.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart, teacherStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * Planner-R1: a dense reward for the completed share of the task, besides the final result.
 *
 * Source: "Planner-R1: Reward Shaping Enables Efficient Agentic RL with Smaller LLMs" (S264).
 * Differs from it: one weighting throughout, half process and half final result; the advantage of a turn's own
 * reward is added to that of the trajectory.
 * Why: the paper found no clear benefit in a curriculum of rewards; without the turn's own advantage, only the sum
 * of the rewards would count, and not when they are paid.
 */
const plannerR1: CreateRecipe = recipe({
  name: "planner-r1",
  literature: "Planner-R1",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "one weighting throughout, half process and half final result",
    "the advantage of a turn's own reward is added to that of the trajectory",
  ],
  mechanism: "whole",
  needs: ["turn-rewards"],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.outcome("success"), { default: 0.5 }],
        [parts.progress(), { default: 0.5 }],
      ]),
      loss: parts.pgClip(epsilon),
      advantage: parts.mixedSteps(),
      steps,
      learningRate,
    }),
  ],
});

/**
 * Embodied R1: imitates a teacher's plans, then learns from a rule that rewards the actions before the first wrong
 * one.
 *
 * Source: "Reinforced Reasoning for Embodied Planning" (S280).
 * Differs from it: an action is right if the environment rewards it, not if it equals that of one reference plan;
 * the format of the answer has no reward.
 * Why: a plan in another order solves the task as well, and a grammar enforces the format.
 */
const embodiedR1: CreateRecipe = recipe({
  name: "embodied-r1",
  literature: "Embodied R1",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "an action is right if the environment rewards it, not if it equals that of one reference plan",
    "the format of the answer has no reward",
  ],
  mechanism: "whole",
  needs: ["turn-rewards"],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    secondMistakes: 0.3,
    countedTurns: oneOf("prefix", "all"),
  },
  stages: ({
    groupSize,
    epsilon,
    startSteps,
    steps,
    learningRate,
    secondMistakes,
    countedTurns,
  }) => [
    teacherStart({ steps: startSteps, learningRate, secondMistakes }),
    groupReinforcement({
      groupSize,
      reward: parts.progress("trajectory", countedTurns),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

/**
 * LOGIGEN: pay for every step towards the wanted state and for reaching it exactly, after verified
 * demonstrations.
 *
 * Source: "LOGIGEN: Logic-Driven Generation of Verifiable Agentic Tasks" (S213).
 * Differs from it: token-mean over the minibatch; groups without a signal are rolled out again; the advantage of a
 * turn's own reward is added to that of the trajectory.
 * Why: a token mean keeps long trajectories from weighing less, and a nano model's groups are often all right or
 * all wrong; with the trajectory's advantage alone, it would not matter which step was paid.
 */
const logigen: CreateRecipe = recipe({
  name: "logigen",
  literature: "LOGIGEN",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the advantage of a turn's own reward is added to that of the trajectory",
  ],
  mechanism: "partial",
  needs: ["turn-rewards"],
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.verify()],
    }),
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.outcome("success"), { default: 0.5 }],
        [parts.progress(), { default: 0.5 }],
      ]),
      loss: parts.pgClip(epsilon),
      advantage: parts.mixedSteps(),
      steps,
      learningRate,
    }),
  ],
});

/**
 * SE-GUI: a few well-chosen tasks and a continuous reward, in rounds.
 *
 * Source: "Enhancing Visual Grounding for GUI Agents via Self-Evolutionary Reinforcement Learning" (S141).
 * Differs from it: closeness compares values of a form, not points on a screen; tasks are chosen anew in every step
 * by the spread of their rewards, not by the model's attention.
 * Why: these environments have no screen, and a policy that changes needs different tasks.
 */
const seGui: CreateRecipe = recipe({
  name: "se-gui",
  literature: "SE-GUI",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "closeness compares values of a form, not points on a screen",
    "tasks are chosen anew in every step by the spread of their rewards, not by the model's attention",
  ],
  mechanism: "partial",
  needs: ["turn-rewards"],
  schedule: ["rounds"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, budget: 48, rounds: 2 },
  stages: ({ groupSize, epsilon, steps, learningRate, budget }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup(), parts.curatedTasks(budget)],
      reward: parts.weighted([
        [parts.closeness(), { default: 0.5 }],
        [parts.progress("trajectory"), { default: 0.5 }],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * Environment Tuning: the environment explains errors and pays progress, tasks grow harder; no
 * demonstrations.
 *
 * Source: "Don't Just Fine-tune the Agent, Tune the Environment" (S130).
 * Differs from it: an explanation is what the tools take, written by no model; explanations stay to
 * the end of training; held-out tasks have none.
 * Why: what a tool takes is in its definition, so that nothing can be explained wrongly; held-out tasks
 * measure the policy alone.
 */
const environmentTuning: CreateRecipe = recipe({
  name: "environment-tuning",
  literature: "Environment Tuning",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "an explanation is what the tools take, written by no model",
    "explanations stay to the end of training; held-out tasks have none",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.explainedFailures(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.progress("trajectory"),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      schedule: [parts.difficultyCurriculum()],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

function sparseAndDense(dense: number): RewardPart {
  return parts.weighted([
    [parts.outcome("success"), 1 - dense],
    [parts.progress(), dense],
  ]);
}

/**
 * meow-tea-taro: one budget of steps, shared between imitation and reinforcement, under three
 * estimators and with sparse and dense pay.
 *
 * Source: "A Practitioner's Guide to Multi-turn Agentic Reinforcement Learning" (S007).
 * Differs from it: the estimators take turns within a run, where the paper compares runs.
 * Why: one run then meets each estimator at the same policy; comparing runs is what studies are for.
 */
const meowTeaTaro: CreateRecipe = recipe({
  name: "meow-tea-taro",
  literature: "meow-tea-taro sweep",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the estimators take turns within a run, where the paper compares runs",
  ],
  mechanism: "partial",
  needs: ["turn-rewards"],
  schedule: ["sft-rl", "budget-split"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    lambda: 1,
    imitationShare: 0.1,
    dense: 0.5,
    budget: 30,
    learningRate: 3e-3,
  },
  stages: ({ groupSize, epsilon, lambda, imitationShare, dense, budget, learningRate }) => [
    demonstrationStart({ steps: Math.round(imitationShare * budget), learningRate }),
    groupReinforcement({
      groupSize,
      name: "group",
      reward: sparseAndDense(dense),
      loss: parts.pgClip(epsilon),
      steps: Math.round(((1 - imitationShare) * budget) / 3),
      learningRate,
    }),
    rewardStage({
      name: "leave-one-out",
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: sparseAndDense(dense),
      advantage: parts.leaveOneOut(),
      losses: [parts.pgClip(epsilon)],
      steps: Math.round(((1 - imitationShare) * budget) / 3),
      settings: { tasksPerStep: 12, learningRate },
    }),
    rewardStage({
      name: "critic",
      rollout: parts.single(),
      reward: sparseAndDense(dense),
      advantage: parts.gae({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead },
      steps: Math.round(((1 - imitationShare) * budget) / 3),
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});

export const DENSE_RECIPES: readonly CreateRecipe[] = [
  plannerR1,
  embodiedR1,
  logigen,
  seGui,
  environmentTuning,
  meowTeaTaro,
];
