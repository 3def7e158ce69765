/** Recipes that reward an answer and its evidence. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { recoveredAnswer, recoveredRequest } from "../../rewards/reconstruct.ts";
import { answerable } from "../../filters/answerable.ts";
import { sampledConfidence } from "../../rewards/calibration.ts";
import { callsAndResults } from "../../rewards/calls-and-results.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * Visual-ARFT: rewards the word overlap of the answer with the right one, plus format and successful calls.
 *
 * Source: "Visual Agentic Reinforcement Fine-Tuning", arXiv:2505.14246.
 * Differs from it: no images.
 * Why: the models read only text.
 */
const visualArft: CreateRecipe = recipe({
  name: "visual-arft",
  literature: "Visual-ARFT",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "no images",
  ],
  mechanism: "whole",
  needs: ["several-calls"],
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    formatWeight: 0.2,
    ranWeight: 0.2,
  },
  stages: ({ groupSize, epsilon, steps, learningRate, formatWeight, ranWeight }) => [
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.answerF1(), { default: 1 }],
        [parts.format(), formatWeight],
        [parts.exec(), ranWeight],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

/**
 * ReWatch-R1: the answer must agree with the observations and be right.
 *
 * Source: "ReWatch-R1: Boosting Complex Video Reasoning in Large Vision-Language Models through Agentic Data
 * Synthesis" (S288).
 * Differs from it: no video: an observation is a tool result; the only claim is the answer, which is supported if a
 * tool returned it.
 * Why: the models read only text, and the support by a tool result is exact.
 */
const reWatchR1: CreateRecipe = recipe({
  name: "re-watch-r1",
  literature: "ReWatch-R1",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "no video: an observation is a tool result",
    "the only claim is the answer, which is supported if a tool returned it",
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
    grounding: 0.3,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, grounding }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.verify()],
    }),
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.outcome(), { default: 1 }],
        [parts.groundedAnswer(), grounding],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

/**
 * RLFH: verdicts on single claims become rewards at the tokens of the claims.
 *
 * Source: Wen et al. 2024, "On-Policy Self-Alignment with Fine-grained Knowledge Feedback for Hallucination
 * Mitigation", arXiv:2406.12221.
 * Differs from it: claims are the final text, checked against tool results without a model; rewards of single turns
 * come from calls and results.
 * Why: the support by a tool result is exact, and no model that splits answers into claims fits into runs of
 * minutes.
 */
const rlfh: CreateRecipe = recipe({
  name: "rlfh",
  literature: "RLFH",
  differs: [
    "the loss is a token mean over the minibatch",
    "claims are the final text, checked against tool results without a model",
    "rewards of single turns come from calls and results",
  ],
  mechanism: "partial",
  needs: ["several-calls"],
  schedule: ["one"],
  settings: { grounding: 0.5, lambda: 1, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ grounding, lambda, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      reward: parts.weighted([
        [parts.ruleProcess(), { default: 1 }],
        [parts.groundedAnswer(), grounding],
      ]),
      advantage: parts.gae({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead, judge: parts.ruleJudge },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});

/**
 * RISE: reinforces rationales by how well they lead to the annotation without quoting it, imitates the best ones,
 * and continues with reinforcement learning.
 *
 * Source: "RISE: Enhancing VLM Image Annotation with Self-Supervised Reasoning" (S289).
 * Differs from it: no images: a rationale is the information looked up on the way; a task is used if some rollouts
 * find the answer and not nearly all do without looking it up.
 * Why: the models read only text, and rollouts without lookups measure the benefit of looking.
 */
const riseRationale: CreateRecipe = recipe({
  name: "rise-rationale",
  literature: "RISE (rationale)",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "no images: a rationale is the information looked up on the way",
    "a task is used if some rollouts find the answer and not nearly all do without looking it up",
  ],
  mechanism: "partial",
  needs: ["several-calls"],
  schedule: ["stages"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, imitationSteps: 4 },
  stages: ({ groupSize, epsilon, steps, learningRate, imitationSteps }) => [
    groupReinforcement({
      groupSize,
      name: "rationales",
      filters: [answerable()],
      reward: recoveredAnswer(),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
    tokenStage({
      name: "best",
      rollout: parts.group(groupSize),
      filters: [parts.success({ perTask: 1 })],
      losses: [parts.crossEntropy()],
      steps: imitationSteps,
      settings: { tasksPerStep: 12, learningRate },
    }),
    groupReinforcement({
      groupSize,
      name: "again",
      filters: [answerable()],
      reward: recoveredAnswer(),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

/**
 * SlideRL: a reader must be able to reconstruct the brief from the product, besides successful calls and a judge.
 *
 * Source: "Learning to Present: Inverse Specification Rewards for Agentic Slide Generation" (S207).
 * Differs from it: no slides: the product is the effect of the calls; the reader sees only the arguments of the
 * calls, and is not a model; three components instead of five.
 * Why: the models make no pictures, and the effect of calls is in every record.
 */
const slideRl: CreateRecipe = recipe({
  name: "slide-rl",
  literature: "SlideRL",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "no slides: the product is the effect of the calls",
    "the reader sees only the arguments of the calls, and is not a model",
    "three components instead of five",
  ],
  mechanism: "partial",
  needs: ["turn-rewards"],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.weighted<"judge">([
        [parts.exec(), { default: 0.2 }],
        [parts.judge(callsAndResults), { default: 0.2 }],
        [recoveredRequest(), { default: 0.6 }],
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
 * Calibration RL: besides the outcome, a reward for confidence that matches correctness.
 *
 * Source: "The Confidence Dichotomy: Analyzing and Mitigating Miscalibration in Tool-Use Agents" (S320).
 * Differs from it: confidence is the per-token probability of the last turn, not a number that the policy states.
 * Why: a nano model that states a number has only learned to write numbers, while its probabilities are its own.
 */
const calibrationRl: CreateRecipe = recipe({
  name: "calibration-rl",
  literature: "Calibration RL",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "confidence is the per-token probability of the last turn, not a number that the policy states",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, honesty: 0.5 },
  stages: ({ groupSize, epsilon, steps, learningRate, honesty }) => [
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.outcome(), { default: 1 }],
        [parts.calibration(sampledConfidence), honesty],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

export const ANSWER_RECIPES: readonly CreateRecipe[] = [
  visualArft,
  reWatchR1,
  rlfh,
  riseRationale,
  slideRl,
  calibrationRl,
];
