/** Rewards by a judge: a rule, a rubric or a model behind a port. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { criteriaByRule } from "../../rewards/rule-judge.ts";
import { judgeByLessons, rubricEdits } from "../../gradient-free/evolving-judge.ts";
import { callsAndResults } from "../../rewards/calls-and-results.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * GRPO-AR: after a start from demonstrations, one advantage combines execution results and judgments.
 *
 * Source: "Code Aesthetics with Agentic Reward Feedback" (S111).
 * Differs from it: one judge for several agents, based on calls and results.
 * Why: one rule for all agents can be repeated and needs no model.
 */
const grpoAr: CreateRecipe = recipe({
  name: "grpo-ar",
  literature: "GRPO-AR",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "one judge for several agents, based on calls and results",
  ],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.weighted<"judge">([
        [parts.exec(), { default: 0.5 }],
        [parts.judge(callsAndResults), { default: 0.5 }],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { judge: parts.judgment },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * Kimi K2: plain text, then verified demonstrations, then reinforcement learning with verifier and judge together.
 *
 * Source: "Kimi K2: Open Agentic Intelligence", arXiv:2507.20534.
 * Differs from it: the plain text comes from demonstrations; the judge reads calls and results.
 * Why: there is no other text about these environments, and a rule judges the same record in the same way.
 */
const kimiK2: CreateRecipe = recipe({
  name: "kimi-k2",
  literature: "Kimi K2 post-training",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the plain text comes from demonstrations",
    "the judge reads calls and results",
  ],
  mechanism: "partial",
  schedule: ["cpt-sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      name: "text",
      loss: parts.languageModel(),
    }),
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.verify()],
    }),
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.weighted<"judge">([
        [parts.outcome(), { default: 0.7 }],
        [parts.judge(callsAndResults), { default: 0.3 }],
      ]),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { judge: parts.judgment },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * LM as experimenter: a curriculum over tasks for an actor whose reward comes from a judge.
 *
 * Source: "Game On: Towards Language Models as RL Experimenters" (S170).
 * Differs from it: tasks come from a pool, so that pass rates are known; the curriculum follows pass rates, not a
 * model; the baseline is a moving average, because the abstract names no estimator; the judge reads calls and
 * results.
 * Why: a pass rate needs repeated rollouts at a task, and no second model fits into runs of minutes.
 */
const lmExperimenter: CreateRecipe = recipe({
  name: "lm-experimenter",
  literature: "LM as experimenter",
  differs: [
    "tasks come from a pool, so that pass rates are known",
    "the loss is a token mean over the minibatch",
    "the curriculum follows pass rates, not a model",
    "the baseline is a moving average, because the abstract names no estimator",
    "the judge reads calls and results",
  ],
  mechanism: "nominal",
  schedule: ["one"],
  settings: { decay: 0.98, epsilon: 0.2, steps: 25, learningRate: 3e-3, pool: 384 },
  stages: ({ decay, epsilon, steps, learningRate, pool }) => [
    rewardStage({
      rollout: parts.single(),
      filters: [parts.passRateBand()],
      reward: parts.judge(callsAndResults),
      advantage: parts.movingBaselineAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: {
        judge: parts.judgment,
        baseline: parts.baseline({ decay, prior: 0.5 }),
        "task-stats": parts.taskStats(),
      },
      schedule: [parts.difficultyCurriculum()],
      steps,
      settings: { tasksPerStep: 96, learningRate, taskPool: pool },
    }),
  ],
});

/**
 * CM2: reinforcement learning with checklists in a simulated environment; binary criteria with evidence are judged
 * turn by turn and rewarded once, at the end.
 *
 * Source: "CM2: Reinforcement Learning with Checklist Rewards for Multi-Turn and Multi-Step Agentic Tool Use"
 * (S107).
 * Differs from it: the criteria are the environment's own and follow from the effect of calls, without a judging
 * model; the simulator is a copy of the base model, fitted to logged calls; the environment, which still runs the
 * calls, decides when a task ends.
 * Why: the effect of calls is exact while a judge is not, and there is no second base model to simulate with.
 */
const cm2: CreateRecipe = recipe({
  name: "cm2",
  literature: "CM2",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the criteria are the environment's own and follow from the effect of calls, without a judging model",
    "the simulator is a copy of the base model, fitted to logged calls",
    "the environment, which still runs the calls, decides when a task ends",
  ],
  mechanism: "partial",
  needs: ["turn-rewards"],
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.simulatedTools({ size: groupSize }),
      filters: [parts.mixedGroup()],
      reward: criteriaByRule(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { judge: parts.ruleJudge, "world-model": parts.worldModel },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * RewardHarness: the judge that rewards the policy is an evolving context, learned from few known preferences.
 *
 * Source: "RewardHarness: Self-Evolving Agentic Post-Training".
 * Differs from it: the known preferences come from the verifier, for a few groups per step.
 * Why: verifiers know every preference exactly, and a few groups are what a person would label.
 */
const rewardHarness: CreateRecipe = recipe({
  name: "reward-harness",
  literature: "RewardHarness",
  differs: ["the known preferences come from the verifier, for a few groups per step"],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: {
    groupSize: 8,
    tasks: 8,
    known: 2,
    epsilon: 0.2,
    steps: 5,
    rounds: 5,
    learningRate: 3e-3,
  },
  stages: ({ groupSize, tasks, known, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      reward: judgeByLessons(),
      advantage: parts.groupAdvantage({ scale: "std" }),
      losses: [parts.pgClip(epsilon)],
      writes: rubricEdits(known),
      state: { judge: parts.judgment, experience: parts.experience("none") },
      steps,
      settings: { tasksPerStep: tasks, learningRate },
    }),
  ],
});

export const JUDGED_RECIPES: readonly CreateRecipe[] = [
  grpoAr,
  kimiK2,
  lmExperimenter,
  cm2,
  rewardHarness,
];
