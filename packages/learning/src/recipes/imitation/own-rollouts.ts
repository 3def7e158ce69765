/** Imitation of the policy's own rollouts. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { pairStage, rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { selfExplored } from "../../rollouts/situations.ts";
import { introspection } from "../../rollouts/retries.ts";
import { advantageWeightedCrossEntropy } from "../../losses/imitation/supervised-loss.ts";
import { inSituation, situationPairs } from "../../filters/situations.ts";
import { collateral } from "../../filters/collateral.ts";
import { rewardWeighted } from "../../advantages/advantage-weights.ts";

/**
 * KnowSelf: the policy answers directly if it can; if it must think again or ask, it says so first. Learned by
 * imitation, then by preference of the fitting way.
 *
 * Source: "Agentic Knowledgeable Self-awareness" (S046).
 * Differs from it: a situation applies to a whole task; knowledge is a demonstration, which the environment does
 * not repeat on request.
 * Why: a task has one situation that can be labeled before it is tried.
 */
const knowSelf: CreateRecipe = recipe({
  name: "know-self",
  literature: "KnowSelf",
  differs: [
    "a situation applies to a whole task",
    "knowledge is a demonstration, which the environment does not repeat on request",
  ],
  mechanism: "partial",
  schedule: ["stages"],
  settings: {
    retold: "Think again.",
    rethink: "Again:",
    ask: "Help:",
    weight: 0.5,
    startSteps: 15,
    steps: 10,
    learningRate: 3e-3,
  },
  stages: ({ retold, rethink, ask, weight, startSteps, steps, learningRate }) => [
    tokenStage({
      name: "situations",
      rollout: selfExplored(retold, { rethink, ask }),
      filters: [inSituation()],
      losses: [parts.crossEntropy()],
      steps: startSteps,
      settings: { tasksPerStep: 16, learningRate },
    }),
    pairStage({
      name: "boundary",
      rollout: selfExplored(retold, { rethink, ask }),
      filters: [situationPairs()],
      reward: parts.outcome(),
      losses: [parts.chosenCrossEntropy(), { loss: parts.contrast(), weight }],
      steps,
      settings: { tasksPerStep: 16, learningRate },
    }),
  ],
});

/**
 * RISE (introspection): single-turn tasks become several answers in one context, each told that the last one was
 * wrong; all are imitated, better ones with more weight.
 *
 * Source: Qu et al. 2024, "Recursive Introspection: Teaching Language Model Agents How to Self-Improve",
 * arXiv:2407.18219.
 * Differs from it: a teacher answers only if all of the policy's own answers are wrong.
 * Why: a teacher's answer would otherwise only replace a correct one of the policy.
 */
const riseIntrospection: CreateRecipe = recipe({
  name: "rise-introspection",
  literature: "RISE (introspection)",
  differs: ["a teacher answers only if all of the policy's own answers are wrong"],
  mechanism: "whole",
  schedule: ["rounds"],
  settings: {
    rounds: 3,
    guidance: "Wrong. Try again.",
    answers: 2,
    attempts: 1,
    temperature: 0.5,
    steps: 8,
    learningRate: 3e-3,
  },
  stages: ({ guidance, answers, attempts, temperature, steps, learningRate }) => [
    rewardStage({
      rollout: introspection(guidance, answers, attempts),
      reward: parts.outcome(),
      advantage: rewardWeighted(temperature),
      losses: [advantageWeightedCrossEntropy()],
      state: { teacher: parts.demonstrators() },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});

/**
 * ALAMA: rolls out a task with every mechanism; imitates the better one and prefers it over the worse.
 *
 * Source: "Towards Adaptive Mechanism Activation in Language Agent" (S329).
 * Differs from it: a mechanism is a sentence in the system message; chosen and rejected are compared by the mean
 * log-prob of their tokens.
 * Why: a sentence is the only difference between mechanisms in one format, and sums of log-probs would prefer short
 * answers.
 */
const alama: CreateRecipe = recipe({
  name: "alama",
  literature: "ALAMA",
  differs: [
    "a mechanism is a sentence in the system message",
    "chosen and rejected are compared by the mean log-prob of their tokens",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: { perMode: 2, margin: 0.5, weight: 0.5, steps: 25, learningRate: 3e-3 },
  stages: ({ perMode, margin, weight, steps, learningRate }) => [
    pairStage({
      rollout: parts.modeStrata(["", "Be brief."], perMode),
      filters: [parts.pairGap(margin)],
      reward: parts.outcome(),
      losses: [parts.chosenCrossEntropy(), { loss: parts.contrast(), weight }],
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});

/**
 * mix-cd: rehearses old samples where learning does the most damage: in proportion to how often similar samples
 * turned from right to wrong.
 *
 * Source: Bai et al. 2024, "An Efficient Rehearsal Scheme for Catastrophic Forgetting Mitigation during Multi-stage
 * Fine-tuning", arXiv:2402.08096.
 * Differs from it: a sample counts as right above a mean token probability; similar samples have the same number of
 * turns; two datasets alternate.
 * Why: the log-probs of the update show how certain the model is, without extra rollouts.
 */
const mixCd: CreateRecipe = recipe({
  name: "mix-cd",
  literature: "mix-cd",
  differs: [
    "a sample counts as right above a mean token probability",
    "similar samples have the same number of turns",
    "two datasets alternate",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: {
    rounds: 2,
    rehearsed: 8,
    rightFrom: 0.5,
    capacity: 256,
    mistakes: 0,
    steps: 8,
    learningRate: 3e-3,
  },
  stages: ({ rehearsed, rightFrom, capacity, mistakes, steps, learningRate }) =>
    [{ name: "first", difficulty: 0 }, { name: "second" }].map(({ name, ...level }) =>
      tokenStage({
        name,
        rollout: parts.demos(mistakes),
        filters: [collateral(rehearsed, rightFrom)],
        losses: [parts.crossEntropy()],
        state: { "rest-buffer": parts.leftovers(capacity) },
        steps,
        settings: { tasksPerStep: 16, learningRate, ...level },
      }),
    ),
});

export const OWN_ROLLOUT_RECIPES: readonly CreateRecipe[] = [
  knowSelf,
  riseIntrospection,
  alama,
  mixCd,
];
