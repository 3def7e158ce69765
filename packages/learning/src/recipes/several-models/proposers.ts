/** A policy that sets its own tasks. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { proposerAndSolverAdvantages } from "../../advantages/proposal-advantages.ts";
import { callsAndResults } from "../../rewards/calls-and-results.ts";

/**
 * Multi-Agent Evolve: one model proposes tasks and solves them, and its reward comes from a judge, without a
 * verifier.
 *
 * Source: "Multi-Agent Evolve: LLM Self-Improve through Co-evolution", arXiv:2510.23595.
 * Differs from it: the judge is not the policy itself; proposals are demonstrated, and an unreadable one has no
 * reward.
 * Why: a policy that judges itself could agree with itself, and answers here are computed.
 */
const multiAgentEvolve: CreateRecipe = recipe({
  name: "multi-agent-evolve",
  literature: "Multi-Agent Evolve",
  differs: [
    "the judge is not the policy itself",
    "proposals are demonstrated, and an unreadable one has no reward",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: {
    proposals: 4,
    attempts: 4,
    epsilon: 0.2,
    shownWeight: 0.2,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ proposals, attempts, epsilon, shownWeight, steps, learningRate }) => [
    rewardStage({
      rollout: parts.setAndSolve(proposals, attempts),
      reward: parts.frontier(parts.judge(callsAndResults)),
      advantage: proposerAndSolverAdvantages(),
      losses: [parts.pgClip(epsilon), { loss: parts.shownCrossEntropy(), weight: shownWeight }],
      state: { judge: parts.judgment },
      steps,
      settings: { tasksPerStep: 4, learningRate },
    }),
  ],
});

/**
 * Search Self-Play: one model searches for a question to propose, and searches for its answer. A question counts if
 * the proposer had read its answer, and has the highest reward if half of its rollouts succeed.
 *
 * Source: "Search Self-play: Pushing the Frontier of Agent Capability without Supervision", arXiv:2510.18821.
 * Differs from it: documents belong to the environment; proposals are demonstrated.
 * Why: answers are computed, and a nano model proposes no task that it was never shown.
 */
const searchSelfPlay: CreateRecipe = recipe({
  name: "search-self-play",
  literature: "Search Self-Play",
  differs: ["documents belong to the environment", "proposals are demonstrated"],
  mechanism: "partial",
  needs: ["search"],
  schedule: ["one"],
  settings: {
    proposals: 4,
    attempts: 4,
    epsilon: 0.2,
    shownWeight: 0.2,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ proposals, attempts, epsilon, shownWeight, steps, learningRate }) => [
    rewardStage({
      rollout: parts.searchAndSolve(proposals, attempts),
      filters: [parts.answerableProposals()],
      reward: parts.frontier(parts.outcome()),
      advantage: parts.amongTries(),
      losses: [parts.pgClip(epsilon), { loss: parts.shownCrossEntropy(), weight: shownWeight }],
      state: { corpus: parts.ownCorpus },
      steps,
      settings: { tasksPerStep: 4, learningRate },
    }),
  ],
});

/**
 * SPICE: one model with two parts. The challenger reads documents and proposes tasks about them; the reasoner
 * solves the tasks without the documents. A task has the highest reward if half of its rollouts succeed.
 *
 * Source: Liu et al. 2025, "SPICE: Self-Play In Corpus Environments Improves Reasoning", arXiv:2510.24684.
 * Differs from it: documents are lines of numbers, and tasks are sums of them with computed answers; the
 * challenger's reward is 4p(1 − p), not a bell curve of the answers' variance; proposals are demonstrated.
 * Why: answers are computed, and a nano model proposes no task that it was never shown.
 */
const spice: CreateRecipe = recipe({
  name: "spice",
  literature: "SPICE",
  differs: [
    "documents are lines of numbers, and tasks are sums of them with computed answers",
    "the challenger's reward is 4p(1 − p), not a bell curve of the answers' variance",
    "proposals are demonstrated",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: {
    proposals: 4,
    attempts: 4,
    epsilon: 0.2,
    shownWeight: 0.2,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ proposals, attempts, epsilon, shownWeight, steps, learningRate }) => [
    rewardStage({
      rollout: parts.readAndSolve(proposals, attempts),
      filters: [parts.answerableProposals()],
      reward: parts.frontier(parts.outcome()),
      advantage: parts.amongTries(),
      losses: [parts.pgClip(epsilon), { loss: parts.shownCrossEntropy(), weight: shownWeight }],
      state: { corpus: parts.ownCorpus },
      steps,
      settings: { tasksPerStep: 4, learningRate },
    }),
  ],
});

export const PROPOSER_RECIPES: readonly CreateRecipe[] = [multiAgentEvolve, searchSelfPlay, spice];
