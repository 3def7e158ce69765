/** Which tasks are attempted next: by pass rate, by predicted risk, by failures. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { failuresReturn, taskWheel } from "../../schedules/task-flywheel.ts";
import { whereToolsHelp } from "../../filters/tool-benefit.ts";
import { riskPrediction, taskRisk } from "../../filters/predicted-risk.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * AgentGL: a curriculum from easy tasks to all of them, with calls that cost.
 *
 * Source: "AgentGL: Towards Agentic Graph Learning with LLMs via Reinforcement Learning" (S042).
 * Differs from it: tasks come from a pool, so that pass rates are known; tasks around a pass rate are chosen within the curriculum's levels, in place of
 * conditions on a graph.
 * Why: a pass rate needs rollouts at the same task again, and this project's environments are no graphs.
 */
const agentGl: CreateRecipe = recipe({
  name: "agent-gl",
  literature: "AgentGL",
  differs: [
    "tasks come from a pool, so that pass rates are known",
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "tasks around a pass rate are chosen within the curriculum's levels, in place of conditions on a graph",
  ],
  mechanism: "nominal",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, callCost: 0.05, pool: 96 },
  stages: ({ groupSize, epsilon, steps, learningRate, callCost, pool }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.passRateBand(), parts.mixedGroup()],
      reward: parts.weighted([
        [parts.outcome(), { default: 0.5 }],
        [parts.economy({ toolCall: callCost }), { default: 0.5 }],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "task-stats": parts.taskStats() },
      schedule: [parts.difficultyCurriculum()],
      steps,
      settings: { tasksPerStep: 12, learningRate, taskPool: pool },
    }),
  ],
});

/**
 * SpotAgent: tasks that can be learned from are chosen as the policy goes on, after a start from
 * demonstrations.
 *
 * Source: "SpotAgent: Grounding Visual Geo-localization in Large Vision-Language Models through
 * Agentic Reasoning" (S311).
 * Differs from it: tasks come from a pool, so that pass rates are known; pass rates alone say what can be learned.
 * Why: a pass rate needs rollouts at the same task again.
 */
const spotAgent: CreateRecipe = recipe({
  name: "spot-agent",
  literature: "SpotAgent",
  differs: [
    "tasks come from a pool, so that pass rates are known",
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "pass rates alone say what can be learned",
  ],
  mechanism: "nominal",
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3, pool: 96 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, pool }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.passRateBand(), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "task-stats": parts.taskStats() },
      steps,
      settings: { tasksPerStep: 12, learningRate, taskPool: pool },
    }),
  ],
});

/**
 * MPTS: the risk of a task is predicted, and tasks are chosen by it before they are rolled out.
 *
 * Source: "Model Predictive Task Sampling for Efficient and Robust Adaptation" (S232).
 * Differs from it: a Bayesian linear model of the level in place of a neural one; a moving baseline,
 * as the abstract names no estimator.
 * Why: a linear model is fitted in closed form from the first step on.
 */
const mpts: CreateRecipe = recipe({
  name: "mpts",
  literature: "MPTS",
  differs: [
    "token-mean over the minibatch",
    "a Bayesian linear model of the level in place of a neural one",
    "a moving baseline, as the abstract names no estimator",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: { target: 0.5, decay: 0.98, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ target, decay, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      filters: [riskPrediction(target)],
      reward: parts.outcome(),
      advantage: parts.movingBaselineAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { baseline: parts.baseline({ decay, prior: 0.5 }), "task-stats": taskRisk() },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});

/**
 * AgenticQwen: every round learns tasks that the model's errors asked for: harder ones of what it solves,
 * others of the kind that it fails.
 *
 * Source: "AgenticQwen: Training Small Agentic Language Models with Dual Data Flywheels for Industrial-Scale
 * Tool Use" (S058).
 * Differs from it: tasks are drawn from the environment, no model writes them; a harder task is one of the next difficulty level.
 * Why: tasks that are drawn have exact verifiers, those that a model writes have not.
 */
const agenticQwen: CreateRecipe = recipe({
  name: "agentic-qwen",
  literature: "AgenticQwen",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "tasks are drawn from the environment, no model writes them",
    "a harder task is one of the next difficulty level",
  ],
  mechanism: "partial",
  schedule: ["flywheel"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    rounds: 2,
    steps: 13,
    learningRate: 3e-3,
    generations: 2,
    copies: 2,
  },
  stages: ({ groupSize, epsilon, steps, learningRate, generations, copies }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [failuresReturn({ mostGenerations: generations, copies }), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "task-stats": taskWheel },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * AdA: several rollouts at one task in one context, on tasks at the frontier, so that what is learned is
 * to adapt.
 *
 * Source: "Human-Timescale Adaptation in an Open-Ended Task Space", arXiv:2301.07608.
 * Differs from it: the memory is the context itself; the last rollout is the one that is paid; no distillation from earlier generations.
 * Why: the nano context holds a few trials, and a generation's distillation would be a second run.
 */
const ada: CreateRecipe = recipe({
  name: "ada",
  literature: "AdA",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the memory is the context itself",
    "the last rollout is the one that is paid",
    "no distillation from earlier generations",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, trialsMost: 2, pool: 96 },
  stages: ({ groupSize, epsilon, steps, learningRate, trialsMost, pool }) => [
    rewardStage({
      rollout: parts.trials(trialsMost, groupSize),
      filters: [parts.passRateBand(), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "task-stats": parts.taskStats() },
      schedule: [parts.difficultyCurriculum()],
      steps,
      settings: { tasksPerStep: 12, learningRate, taskPool: pool },
    }),
  ],
});

/**
 * DeepEyesV2: a cold start from demonstrations, then reinforcement on tasks at the frontier that tools help
 * with.
 *
 * Source: "DeepEyesV2: Toward Agentic Multimodal Model" (S122).
 * Differs from it: no images; tasks that tools help with are found by rollouts without them, at each step.
 * Why: the models read text alone, and rollouts without tools are the only measure of what tools bring.
 */
const deepEyesV2: CreateRecipe = recipe({
  name: "deep-eyes-v2",
  literature: "DeepEyesV2",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "no images",
    "tasks that tools help with are found by rollouts without them, at each step",
  ],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3, pool: 96 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, pool }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.pairedTools(groupSize),
      filters: [parts.passRateBand(), whereToolsHelp(), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "task-stats": parts.taskStats() },
      steps,
      settings: { tasksPerStep: 12, learningRate, taskPool: pool },
    }),
  ],
});

export const TASK_CHOICE_RECIPES: readonly CreateRecipe[] = [
  agentGl,
  spotAgent,
  mpts,
  agenticQwen,
  ada,
  deepEyesV2,
];
