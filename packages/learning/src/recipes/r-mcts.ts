/**
 * R-MCTS self-learning: searches whose rollouts are judged are imitated as they went, wrong branches and
 * the ways back included; what failed and what was done instead are lessons that later rollouts read.
 *
 * Source: Yu et al. 2024, "Improving Autonomous AI Agents with Reflective Tree Search and Self-Learning",
 * arXiv:2410.02052.
 * Differs from it: one judge, no debate; lessons are written by rule from the turns that differ.
 * Why: a rule judges and remembers the same in every run, and a debate would ask a model as often as there
 * are turns.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { callsAndResults } from "./calls-and-results.ts";

export const rMcts: CreateRecipe = recipe({
  name: "r-mcts",
  literature: "R-MCTS self-learning",
  differs: ["one judge, no debate", "lessons are written by rule from the turns that differ"],
  schedule: ["one"],
  settings: {
    ...{ attempts: 8, width: 2, exploration: 0.5, branches: 2 },
    ...{ steps: 20, learningRate: 3e-3 },
  },
  stages: ({ attempts, width, exploration, branches, steps, learningRate }) => [
    tokenStage({
      rollout: parts.tree(attempts, {
        ...{ rule: { kind: "puct", exploration }, width },
        retells: parts.traversal("This leads nowhere. I go back.", branches),
      }),
      filters: [parts.contrasted(), parts.retold(true)],
      reward: parts.judge(callsAndResults),
      advantage: parts.monteCarloTree(),
      losses: [parts.crossEntropy()],
      state: {
        "tree-store": parts.searchTrees,
        experience: parts.experience("by-step"),
        judge: parts.judgement,
      },
      steps,
      settings: { tasksPerStep: 6, learningRate },
    }),
  ],
});
