/** Rewards for single turns, and how they are mixed with the outcome. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { progressEstimate } from "../../states/progress-estimator.ts";
import { attributedProgress } from "../../rewards/redistribute.ts";
import { fitsProgress } from "../../filters/fits-progress.ts";
import { turnShown } from "../../rewards/calls-and-results.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * DR-Venus: after a start from clean, long demonstrations, rewards turns for the information gain about the right
 * answer, and for their format.
 *
 * Source: "DR-Venus: Towards Frontier Edge-Scale Deep Research Agents with Only 10K Open Data" (S131).
 * Differs from it: gains are clipped and added to the outcome; long demonstrations are weighted by their number of
 * turns.
 * Why: a turn with a large gain must not be worth more than the answer.
 */
const drVenus: CreateRecipe = recipe({
  name: "dr-venus",
  literature: "DR-Venus",
  differs: [
    "the loss is a token mean over the minibatch",
    "gains are clipped and added to the outcome",
    "long demonstrations are weighted by their number of turns",
  ],
  mechanism: "partial",
  needs: ["several-calls"],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    gain: 0.1,
    formatWeight: 0.1,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, gain, formatWeight }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.clean(), parts.longTail()],
    }),
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [],
      reward: parts.weighted([
        [parts.informationGain(gain), { default: 1 }],
        [parts.format(), formatWeight],
      ]),
      advantage: parts.turnLevel(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * PilotRL: learns first to follow the plan, then to plan, then both.
 *
 * Source: "PilotRL: Training Language Model Agents via Global Planning-Guided Progressive Reinforcement Learning"
 * (S261).
 * Differs from it: the plan is the first turn, which decides the course of a rollout; rewards of turns come from
 * calls and results, not from a judging model.
 * Why: a nano model cannot write plans but its first turn decides, and a rule judges the same record in the same
 * way.
 */
const pilotRl: CreateRecipe = recipe({
  name: "pilot-rl",
  literature: "PilotRL",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the plan is the first turn, which decides the course of a rollout",
    "rewards of turns come from calls and results, not from a judging model",
  ],
  mechanism: "partial",
  needs: ["long-path"],
  schedule: ["mask-stages"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      name: "following",
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.ruleProcess(),
      advantage: parts.mixedSteps(),
      losses: [parts.spanMask(parts.pgClip(epsilon), (turn, { turns }) => turn !== turns[0])],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
    rewardStage({
      name: "planning",
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.ruleProcess(),
      advantage: parts.mixedSteps(),
      losses: [parts.spanMask(parts.pgClip(epsilon), (turn, { turns }) => turn === turns[0])],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
    rewardStage({
      name: "both",
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.ruleProcess(),
      advantage: parts.mixedSteps(),
      losses: [parts.spanMask(parts.pgClip(epsilon), () => true)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * PPR with ReNorm: a judge rates every step, and the ratings are centered on the verified outcome before they are
 * mixed with it.
 *
 * Source: "Hybrid Reward Normalization for Process-supervised Non-verifiable Agentic Tasks" (S186).
 * Differs from it: the judge reads calls and results.
 * Why: a rule judges the same record in the same way, and no judge model fits into runs of minutes.
 */
const pprRenorm: CreateRecipe = recipe({
  name: "ppr-renorm",
  literature: "PPR / ReNorm",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the judge reads calls and results",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    spread: 0.25,
    stepWeight: 0.5,
  },
  stages: ({ groupSize, epsilon, steps, learningRate, spread, stepWeight }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.weighted<"judge">([
        [parts.calibratedProcess(turnShown, spread), { default: 0.5 }],
        [parts.outcome(), { default: 0.5 }],
      ]),
      advantage: parts.mixedSteps({ stepWeight }),
      losses: [parts.pgClip(epsilon)],
      state: { judge: parts.judgment },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * SPA-RL: a learned progress estimate distributes the outcome over the steps, besides rewards for successful calls.
 *
 * Source: Wang et al. 2025, "SPA-RL: Reinforcing LLM Agents via Stepwise Progress Attribution", arXiv:2505.20732.
 * Differs from it: the estimator is linear in features of a turn and is fitted to the outcomes of each step; the
 * critic's gradient stops at its head.
 * Why: a linear estimator can be fitted within a step, and a critic's gradient in the shared adapter made the
 * policy unlearn.
 */
const spaRl: CreateRecipe = recipe({
  name: "spa-rl",
  literature: "SPA-RL",
  differs: [
    "the loss is a token mean over the minibatch",
    "the estimator is linear in features of a turn and is fitted to the outcomes of each step",
    "the critic's gradient stops at its head",
  ],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: {
    ranWeight: 0.1,
    lambda: 1,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ ranWeight, lambda, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.single(),
      filters: [fitsProgress()],
      reward: parts.weighted<"progress-est">([
        [attributedProgress(), { default: 1 }],
        [parts.exec(), ranWeight],
      ]),
      advantage: parts.gae({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead, "progress-est": progressEstimate },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});

export const TURN_CREDIT_RECIPES: readonly CreateRecipe[] = [drVenus, pilotRl, pprRenorm, spaRl];
