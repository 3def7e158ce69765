/** Rewards by a judge: a rule, a rubric or a model behind a port. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { criteriaByRule } from "../../rewards/rule-judge.ts";
import { judgeByLessons, rubricEdits } from "../../gradient-free/evolving-judge.ts";
import { callsAndResults } from "../../rewards/calls-and-results.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * GRPO-AR: what ran and what judges say go into one advantage, after a start from demonstrations.
 *
 * Source: "Code Aesthetics with Agentic Reward Feedback" (S111).
 * Differs from it: one judge for several agents; it reads calls and results.
 * Why: one rule for all agents can be repeated and asks no model.
 */
const grpoAr: CreateRecipe = recipe({
  name: "grpo-ar",
  literature: "GRPO-AR",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "one judge for several agents; it reads calls and results",
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
      state: { judge: parts.judgement },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * Kimi K2: plain text first, verified demonstrations, then reinforcement by verifier and judge
 * together.
 *
 * Source: "Kimi K2: Open Agentic Intelligence", arXiv:2507.20534.
 * Differs from it: plain text is that of demonstrations; the judge reads calls and results.
 * Why: no other text speaks of these environments, and a rule judges the same record the same way.
 */
const kimiK2: CreateRecipe = recipe({
  name: "kimi-k2",
  literature: "Kimi K2 post-training",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "plain text is that of demonstrations",
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
      state: { judge: parts.judgement },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * LM as experimenter: a curriculum over tasks for an actor that is paid by a judge.
 *
 * Source: "Game On: Towards Language Models as RL Experimenters" (S170).
 * Differs from it: tasks come from a pool, so that pass rates are known; the curriculum follows pass rates, no model runs it; a moving baseline, as the
 * abstract names no estimator; the judge reads calls and results.
 * Why: a pass rate needs rollouts at the same task again; no second model fits into runs of minutes.
 */
const lmExperimenter: CreateRecipe = recipe({
  name: "lm-experimenter",
  literature: "LM as experimenter",
  differs: [
    "tasks come from a pool, so that pass rates are known",
    "the loss is a token mean over the minibatch",
    "the curriculum follows pass rates, no model runs it",
    "a moving baseline, as the abstract names no estimator",
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
        judge: parts.judgement,
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
 * CM2: reinforcement by checklists in an environment that a model simulates; binary criteria with
 * evidence are judged turn by turn and paid once, at the end.
 *
 * Source: "CM2: Reinforcement Learning with Checklist Rewards for Multi-Turn and Multi-Step Agentic
 * Tool Use" (S107).
 * Differs from it: criteria are the environment's own, met or not by what calls did, no model judges;
 * the simulator is a copy of the base, fitted to logged calls.
 * Why: what calls did is exact, a judge is not; and no second base is there to simulate with.
 */
const cm2: CreateRecipe = recipe({
  name: "cm2",
  literature: "CM2",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "criteria are the environment's own, met or not by what calls did; no model judges",
    "the simulator is a copy of the base, fitted to logged calls",
    "a task ends where the environment says, which follows the calls unseen",
  ],
  mechanism: "partial",
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
 * RewardHarness: the judge that pays a policy is context that evolves, from few known preferences.
 *
 * Source: "RewardHarness: Self-Evolving Agentic Post-Training".
 * Differs from it: the known preferences are the verifier's, of a few groups a step.
 * Why: verifiers know every preference exactly, and a few groups are what a person would label.
 */
const rewardHarness: CreateRecipe = recipe({
  name: "reward-harness",
  literature: "RewardHarness",
  differs: ["the known preferences are the verifier's, of a few groups a step"],
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
      state: { judge: parts.judgement, experience: parts.experience("none") },
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
