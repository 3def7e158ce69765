/** Preferences between trajectories of one task. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import type { JudgedTrajectory, JudgedTurn } from "../../composition/judged-trajectory.ts";
import { pairStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { callsAndResults } from "../../rewards/calls-and-results.ts";
import {
  always,
  eventually,
  implies,
  now,
  type Specification,
  until,
} from "../../rewards/specifications.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * AIDSAFE: clean demonstrations first, then pairs with a clear difference.
 *
 * Source: "Towards Safety Reasoning in LLMs: AI-agentic Deliberation for Policy-embedded CoT Data Creation" (S334).
 * Differs from it: the preferred side has a better outcome with fewer calls, not safer reasoning; pairs are the
 * policy's own rollouts.
 * Why: no environment has harmful requests, so safety cannot be measured; outcome and calls can.
 */
const aidsafe: CreateRecipe = recipe({
  name: "aidsafe",
  literature: "AIDSAFE",
  differs: [
    "the preferred side has a better outcome with fewer calls, not safer reasoning",
    "pairs are the policy's own rollouts",
  ],
  mechanism: "nominal",
  schedule: ["sft-pref"],
  settings: { groupSize: 4, beta: 0.1, margin: 0.5, startSteps: 5, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, beta, margin, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.clean()],
    }),
    pairStage({
      rollout: parts.group(groupSize),
      filters: [parts.pairGap(margin)],
      reward: parts.preference(),
      losses: [parts.dpo(beta)],
      state: { ref: parts.reference },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});

const readable = now<JudgedTurn>(({ parseError }) => parseError === null);

const calls = now<JudgedTurn>(({ toolCalls }) => toolCalls.length > 0);

const answers = now<JudgedTurn>(({ toolCalls }) => toolCalls.length === 0);

const failed = now<JudgedTurn>(({ toolResults }) => toolResults.some(({ ok }) => !ok));

const ran = now<JudgedTurn>(
  ({ toolCalls, toolResults }) => toolCalls.length > 0 && toolResults.every(({ ok }) => ok),
);

/**
 * Specifications of a run: all turns are readable, every turn before the answer has a call, every failed call is
 * followed by a successful one, and the run succeeds.
 */
function specificationsOf({ verification }: JudgedTrajectory): Specification<JudgedTurn>[] {
  return [
    always(readable),
    until(calls, answers),
    always(implies(failed, eventually(ran))),
    () => verification.success,
  ];
}

/**
 * Formal-methods ranking: checks temporal-logic specifications on each output, and prefers the output that
 * satisfies more.
 *
 * Source: Yang et al. 2023, "Fine-Tuning Language Models Using Formal Methods Feedback", arXiv:2310.18239.
 * Differs from it: specifications are checked on the trajectory, not on an automaton built from the answer; the
 * environment's verifier is one of them.
 * Why: a trajectory is finite, so its properties can be checked directly.
 */
const formalMethods: CreateRecipe = recipe({
  name: "formal-methods",
  literature: "Formal-methods ranking",
  differs: [
    "specifications are checked on the trajectory, not on an automaton built from the answer",
    "the environment's verifier is one of them",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { attempts: 4, beta: 0.1, margin: 0.2, rounds: 2, steps: 12, learningRate: 3e-3 },
  stages: ({ attempts, beta, margin, steps, learningRate }) => [
    pairStage({
      rollout: parts.single(attempts),
      filters: [parts.pairGap(margin)],
      reward: parts.specifications(specificationsOf),
      losses: [parts.dpo(beta)],
      state: { ref: parts.reference },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});

const MOSAIC_RUBRIC =
  "Prefer a run that reaches its goal by safe calls; prefer one that declines to one that does harm.";

/**
 * MOSAIC: a judge prefers whole trajectories, and a refusal is a trajectory like any other.
 *
 * Source: "Learning When to Act or Refuse: Guarding Agentic Reasoning Models for Safe Multi-Step Tool Use" (S208).
 * Differs from it: every other rollout is told that it may decline; the judge decides the value of declining.
 * Why: nothing here is dangerous, so declining can only be judged against the task.
 */
const mosaic: CreateRecipe = recipe({
  name: "mosaic",
  literature: "MOSAIC",
  differs: [
    "every other rollout is told that it may decline",
    "the judge decides the value of declining",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: { attempts: 4, beta: 0.1, margin: 0.5, steps: 25, learningRate: 3e-3 },
  stages: ({ attempts, beta, margin, steps, learningRate }) => [
    pairStage({
      rollout: parts.single(attempts, ["", "Decline in words where a call would do harm."]),
      filters: [parts.pairGap(margin)],
      reward: parts.judgedPreference((trajectory) => ({
        ...callsAndResults(trajectory),
        rubric: MOSAIC_RUBRIC,
      })),
      losses: [parts.dpo(beta)],
      state: { ref: parts.reference, judge: parts.judgment },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});

const WORDINGS = ["Say what is wanted.", "Name the goal and its parts.", ""];

const RECAP_RUBRIC = "Prefer the plan that does all that was asked, and nothing else.";

/**
 * RECAP: rewrites one conversation in several wordings, and prefers the wording that helps planning.
 *
 * Source: "RECAP: REwriting Conversations for Intent Understanding in Agentic Planning" (S276).
 * Differs from it: a wording is a sentence beside the request, and the planning policy is the one that learns; a
 * judge of plans, based on calls and results, decides which wording helps.
 * Why: such a judge needs no model, and only training of the acting policy changes its behavior.
 */
const recap: CreateRecipe = recipe({
  name: "recap",
  literature: "RECAP",
  differs: [
    "a wording is a sentence beside the request, and the planning policy is the one that learns",
    "a judge of plans, based on calls and results, decides which wording helps",
  ],
  mechanism: "nominal",
  schedule: ["one"],
  settings: { mistakes: 0.3, beta: 0.1, margin: 0.5, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, beta, margin, steps, learningRate }) => [
    pairStage({
      rollout: parts.toldDemos(WORDINGS, { size: WORDINGS.length, mistakes }),
      filters: [parts.pairGap(margin)],
      reward: parts.judgedPreference((trajectory) => ({
        ...callsAndResults(trajectory),
        rubric: RECAP_RUBRIC,
      })),
      losses: [parts.dpo(beta)],
      state: { ref: parts.reference, judge: parts.judgment },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});

/**
 * Agentic VRPO: demonstrations first, then preferences with log-probs estimated from sampled tokens; policy and
 * reference share the sample, so that its noise cancels.
 *
 * Source: "DLLM-Searcher: Adapting Diffusion Large Language Model for Search Agents" (S129); Zhu et al. 2025,
 * "LLaDA 1.5", arXiv:2505.19223.
 * Differs from it: the model is not a diffusion model, so the sample only leaves out known terms.
 * Why: runtime and engine sample token by token.
 */
const agenticVrpo: CreateRecipe = recipe({
  name: "agentic-vrpo",
  literature: "Agentic VRPO",
  differs: ["the model is not a diffusion model, so the sample only leaves out known terms"],
  mechanism: "nominal",
  schedule: ["sft-pref"],
  settings: {
    attempts: 4,
    draws: 8,
    beta: 0.1,
    margin: 0.5,
    startSteps: 5,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ attempts, draws, beta, margin, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    pairStage({
      rollout: parts.single(attempts),
      filters: [parts.pairGap(margin)],
      reward: parts.preference(),
      losses: [parts.vrpo(beta, draws)],
      state: { ref: parts.reference },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});

export const PAIR_RECIPES: readonly CreateRecipe[] = [
  aidsafe,
  formalMethods,
  mosaic,
  recap,
  agenticVrpo,
];
