/**
 * Agent Q: a guided search over the turns of each task, and at its forks the better action is preferred to
 * the worse one, by outcome and critique together.
 *
 * Source: Putta et al. 2024, "Agent Q: Advanced Reasoning and Learning for Autonomous AI Agents",
 * arXiv:2408.07199.
 * Differs from it: the critique is of the whole rollout that went through an action, not a ranking of
 * actions before they are tried; the search itself goes by outcomes.
 * Why: outcomes judge a search here without another model; the critique only adds to them.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { pairStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { callsAndResults } from "./calls-and-results.ts";

export const agentQ: CreateRecipe = recipe({
  name: "agent-q",
  literature: "Agent Q",
  differs: [
    "the critique is of the whole rollout that went through an action, not a ranking of actions before they are tried",
    "the search itself goes by outcomes",
  ],
  schedule: ["rounds"],
  settings: {
    ...{ attempts: 8, width: 2, exploration: 0.5, critique: 0.3, margin: 0.1, beta: 0.1 },
    ...{ taskPool: 96, rounds: 2, steps: 12, learningRate: 3e-3 },
  },
  stages: ({ attempts, width, exploration, critique, margin, beta, taskPool, ...run }) => [
    pairStage({
      rollout: parts.tree(attempts, { rule: { kind: "puct", exploration }, width }),
      filters: [parts.forks(margin)],
      reward: parts.weighted<"judge">([
        [parts.outcome(), 1 - critique],
        [parts.judge(callsAndResults), critique],
      ]),
      advantage: parts.monteCarloTree(),
      losses: [parts.dpo(beta)],
      state: {
        ...{ ref: parts.reference, judge: parts.judgement },
        "tree-store": parts.searchTrees,
      },
      steps: run.steps,
      settings: { tasksPerStep: 6, taskPool, learningRate: run.learningRate },
    }),
  ],
});
