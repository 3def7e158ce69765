/** Imitation of several teachers or of several ways of prompting. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import type { JudgedTrajectory, JudgedTurn } from "../../composition/judged-trajectory.ts";
import { tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { competingDemos, evidencedTeachers } from "../../rollouts/demonstrations.ts";
import { curatedOfGenerators } from "../../filters/curated.ts";

/**
 * DualDistill: two teachers demonstrate the same task, and successful demonstrations are imitated.
 *
 * Source: "Agentic-R1: Distilled Dual-Strategy Reasoning" (S056).
 * Differs from it: the teachers differ in their error rate, not in strategy; their solutions are not joined by
 * transition text.
 * Why: there is no reasoning model as a second teacher, and a demonstrator's error rate is known.
 */
const dualDistill: CreateRecipe = recipe({
  name: "dual-distill",
  literature: "DualDistill",
  differs: [
    "the teachers differ in their error rate, not in strategy",
    "their solutions are not joined by transition text",
  ],
  mechanism: "nominal",
  schedule: ["sft"],
  settings: { first: 0.1, second: 0.4, steps: 25, learningRate: 3e-3 },
  stages: ({ first, second, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teacherDemos(),
      filters: [parts.success({ perTask: 1 })],
      state: { teacher: parts.demonstrators(first, second) },
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

const FIRE_ACT_METHODS = ["", "Be brief."];

/**
 * FireAct: a teacher solves tasks with several prompting styles, and its successes are imitated in equal shares.
 *
 * Source: "FireAct: Toward Language Agent Fine-tuning", arXiv:2310.05915.
 * Differs from it: a prompting style is a sentence in the system message.
 * Why: a sentence is the only difference between styles in one format.
 */
const fireAct: CreateRecipe = recipe({
  name: "fire-act",
  literature: "FireAct",
  differs: ["a prompting style is a sentence in the system message"],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { kept: 12, mistakes: 0.3, steps: 25, learningRate: 3e-3 },
  stages: ({ kept, mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teacherDemos({ modes: FIRE_ACT_METHODS }),
      filters: [
        parts.success(),
        parts.diversityMix(
          Object.fromEntries(FIRE_ACT_METHODS.map((method) => [method, 1])),
          kept,
          ({ trajectory }) => trajectory.mode ?? "",
        ),
      ],
      state: { teacher: parts.demonstrators(mistakes) },
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

const META_AGENT_TUNING_METHODS = ["You plan first.", "You call tools.", "You answer."];

/**
 * Meta-Agent Tuning: one model for several agent systems, with their prompts in equal shares.
 *
 * Source: "KwaiAgents: Generalized Information-seeking Agent System with Large Language Models" (S199).
 * Differs from it: a system is a sentence in the system message; prompts are written by hand, not generated and
 * filtered.
 * Why: a sentence is the only difference between systems in one format, and a nano model cannot write prompts.
 */
const metaAgentTuning: CreateRecipe = recipe({
  name: "meta-agent-tuning",
  literature: "Meta-Agent Tuning",
  differs: [
    "a system is a sentence in the system message",
    "prompts are written by hand, not generated and filtered",
  ],
  mechanism: "nominal",
  schedule: ["sft"],
  settings: { kept: 12, mistakes: 0.1, steps: 25, learningRate: 3e-3 },
  stages: ({ kept, mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teacherDemos({ modes: META_AGENT_TUNING_METHODS }),
      filters: [
        parts.diversityMix(
          Object.fromEntries(META_AGENT_TUNING_METHODS.map((method) => [method, 1])),
          kept,
          ({ trajectory }) => trajectory.mode ?? "",
        ),
      ],
      state: { teacher: parts.demonstrators(mistakes) },
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

/**
 * Prism-Reranker: learns the answer on which most teachers agree, and the evidence for it.
 *
 * Source: "Prism-Reranker: Beyond Relevance Scoring -- Jointly Producing Contributions and Evidence for Agentic
 * Retrieval" (S271).
 * Differs from it: a score is an answer, and a passage of evidence is the result that it uses; teachers are
 * demonstrators, distilled by their text and not by their probabilities.
 * Why: nothing is reranked here, and a demonstrator has no probabilities.
 */
const prismReranker: CreateRecipe = recipe({
  name: "prism-reranker",
  literature: "Prism-Reranker",
  differs: [
    "a score is an answer, and a passage of evidence is the result that it uses",
    "teachers are demonstrators, distilled by their text and not by their probabilities",
  ],
  mechanism: "nominal",
  schedule: ["sft"],
  settings: {
    goodMistakes: 0.1,
    fairMistakes: 0.3,
    leastShare: 0.6,
    evidenceWeight: 0.5,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ goodMistakes, fairMistakes, leastShare, evidenceWeight, steps, learningRate }) => [
    tokenStage({
      rollout: evidencedTeachers(),
      filters: [parts.vote(answerOf, leastShare)],
      losses: [
        parts.spanMask(parts.crossEntropy(), (turn, trajectory) => !isEvidence(turn, trajectory)),
        { loss: parts.auxiliaryTurns(isEvidence), weight: evidenceWeight },
      ],
      state: { teacher: parts.demonstrators(goodMistakes, fairMistakes, fairMistakes) },
      steps,
      settings: { tasksPerStep: 16, learningRate },
    }),
  ],
});

/** Said when the task is over. */
function isEvidence(turn: JudgedTurn, { turns }: JudgedTrajectory): boolean {
  return turn === turns.at(-1);
}

/** The tokens of the turn that the task ended with. */
function answerOf({ turns, samples, record: trajectory }: JudgedTrajectory): string | null {
  const answer = turns.at(-2);
  if (answer === undefined || !trajectory.terminated) return null;
  return (samples[answer.sample]?.sequence.tokenIds ?? [])
    .slice(answer.start, answer.end)
    .join(" ");
}

/**
 * Star-Agents: several generators of demonstrations compete; those whose demonstrations are chosen produce more.
 *
 * Source: "Star-Agents: Automatic Data Optimization with LLM Agents for Instruction Tuning" (S313).
 * Differs from it: generators differ in their error rate; quality is the verifier's verdict and difficulty the
 * number of turns, instead of the gap between two models.
 * Why: there is no second model to compare with, and a demonstrator's error rate is known.
 */
const starAgents: CreateRecipe = recipe({
  name: "star-agents",
  literature: "Star-Agents",
  differs: [
    "generators differ in their error rate",
    "quality is the verifier's verdict and difficulty the number of turns, instead of the gap between two models",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: {
    rounds: 3,
    budget: 12,
    goodMistakes: 0,
    fairMistakes: 0.3,
    poorMistakes: 0.8,
    steps: 8,
    learningRate: 3e-3,
  },
  stages: ({ budget, goodMistakes, fairMistakes, poorMistakes, steps, learningRate }) => [
    tokenStage({
      rollout: competingDemos([goodMistakes, fairMistakes, poorMistakes], 2),
      filters: [curatedOfGenerators(budget)],
      losses: [parts.crossEntropy()],
      state: { "task-stats": parts.taskStats() },
      steps,
      settings: { tasksPerStep: 16, learningRate },
    }),
  ],
});

export const TEACHER_RECIPES: readonly CreateRecipe[] = [
  dualDistill,
  fireAct,
  metaAgentTuning,
  prismReranker,
  starAgents,
];
