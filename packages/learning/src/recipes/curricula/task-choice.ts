/** Choice of the next tasks: by pass rate, by predicted risk, by failures. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { failuresReturn, taskWheel } from "../../schedules/task-flywheel.ts";
import { whereToolsHelp } from "../../filters/tool-benefit.ts";
import { riskPrediction, taskRisk } from "../../filters/predicted-risk.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * AgentGL: a curriculum from easy tasks to all tasks, with a cost for calls.
 *
 * Source: "AgentGL: Towards Agentic Graph Learning with LLMs via Reinforcement Learning" (S042).
 * Differs from it: tasks come from a pool, so that pass rates are known; tasks near a pass rate are chosen within
 * the curriculum's levels, instead of graph conditions.
 * Why: a pass rate needs repeated rollouts at a task, and the built-in environments are not graphs.
 */
const agentGl: CreateRecipe = recipe({
  name: "agent-gl",
  literature: "AgentGL",
  differs: [
    "tasks come from a pool, so that pass rates are known",
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "tasks near a pass rate are chosen within the curriculum's levels, instead of graph conditions",
  ],
  mechanism: "nominal",
  needs: ["several-calls"],
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
 * SpotAgent: after a start from demonstrations, chooses tasks that the policy can learn from at its current level.
 *
 * Source: "SpotAgent: Grounding Visual Geo-localization in Large Vision-Language Models through Agentic Reasoning"
 * (S311).
 * Differs from it: tasks come from a pool, so that pass rates are known; only pass rates decide which tasks are
 * useful.
 * Why: a pass rate needs repeated rollouts at a task.
 */
const spotAgent: CreateRecipe = recipe({
  name: "spot-agent",
  literature: "SpotAgent",
  differs: [
    "tasks come from a pool, so that pass rates are known",
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "only pass rates decide which tasks are useful",
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
 * MPTS: predicts the risk of each task, and chooses tasks by it before they are rolled out.
 *
 * Source: "Model Predictive Task Sampling for Efficient and Robust Adaptation" (S232).
 * Differs from it: a Bayesian linear model of the difficulty level replaces the neural model; the baseline is a
 * moving average, because the abstract names no estimator.
 * Why: a linear model has a closed-form fit from the first step on.
 */
const mpts: CreateRecipe = recipe({
  name: "mpts",
  literature: "MPTS",
  differs: [
    "the loss is a token mean over the minibatch",
    "a Bayesian linear model of the difficulty level replaces the neural model",
    "the baseline is a moving average, because the abstract names no estimator",
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
 * AgenticQwen: each round trains on tasks chosen by the model's errors: harder versions of solved tasks, and
 * variants of failed ones.
 *
 * Source: "AgenticQwen: Training Small Agentic Language Models with Dual Data Flywheels for Industrial-Scale Tool
 * Use" (S058).
 * Differs from it: tasks are drawn from the environment, not written by a model; a harder task is one of the next
 * difficulty level.
 * Why: drawn tasks have exact verifiers; tasks written by a model have none.
 */
const agenticQwen: CreateRecipe = recipe({
  name: "agentic-qwen",
  literature: "AgenticQwen",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "tasks are drawn from the environment, not written by a model",
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
 * AdA: several trials of one task in one context, on tasks at the frontier, so that the policy learns to adapt.
 *
 * Source: "Human-Timescale Adaptation in an Open-Ended Task Space", arXiv:2301.07608.
 * Differs from it: the memory is the context itself; only the last trial is rewarded; no distillation from
 * earlier generations.
 * Why: the context of a nano model holds a few trials, and distillation between generations would be a second
 * run.
 */
const ada: CreateRecipe = recipe({
  name: "ada",
  literature: "AdA",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the memory is the context itself",
    "only the last trial is rewarded",
    "no distillation from earlier generations",
  ],
  mechanism: "partial",
  needs: ["several-calls"],
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
 * DeepEyesV2: a cold start from demonstrations, then reinforcement learning on frontier tasks that need tools.
 *
 * Source: "DeepEyesV2: Toward Agentic Multimodal Model" (S122).
 * Differs from it: no images; rollouts without tools at each step show which tasks need tools.
 * Why: the models read only text, and rollouts without tools measure the benefit of tools directly.
 */
const deepEyesV2: CreateRecipe = recipe({
  name: "deep-eyes-v2",
  literature: "DeepEyesV2",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "no images",
    "rollouts without tools at each step show which tasks need tools",
  ],
  mechanism: "partial",
  needs: ["several-calls"],
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
