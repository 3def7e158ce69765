/** A tree search whose lines are imitated. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { contrasted, retoldDemos, revision } from "../../rollouts/retold.ts";
import { storeTrees } from "../../filters/retold.ts";
import { bestLine } from "../../filters/forks.ts";
import { calibrated } from "../../advantages/continuation-values.ts";
import { callsAndResults } from "../../rewards/calls-and-results.ts";

/**
 * ProAct: imitates the results of a search, then uses reinforcement learning with advantages calibrated by short
 * rollouts from visited states.
 *
 * Source: "ProAct: Agentic Lookahead in Interactive Environments" (S272).
 * Differs from it: the best path of a search is imitated directly, not rewritten as reasoning; calibration rollouts
 * run to the end of the task.
 * Why: a nano model cannot write reasoning, and a task is verified at its end.
 */
const proAct: CreateRecipe = recipe({
  name: "pro-act",
  literature: "ProAct",
  differs: [
    "the best path of a search is imitated directly, not rewritten as reasoning",
    "calibration rollouts run to the end of the task",
  ],
  mechanism: "partial",
  schedule: ["sft-rl"],
  settings: {
    attempts: 8,
    whole: 4,
    size: 8,
    calibration: 0.5,
    epsilon: 0.2,
    searchSteps: 6,
    steps: 20,
    learningRate: 3e-3,
  },
  stages: ({ attempts, whole, size, calibration, epsilon, searchSteps, steps, learningRate }) => [
    tokenStage({
      name: "search",
      rollout: parts.tree(attempts),
      filters: [bestLine()],
      reward: parts.outcome(),
      advantage: parts.monteCarloTree(),
      losses: [parts.crossEntropy()],
      state: { "tree-store": parts.searchTrees },
      steps: searchSteps,
      settings: { tasksPerStep: 12, learningRate },
    }),
    rewardStage({
      rollout: parts.branchVine(size, whole),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: calibrated(parts.groupAdvantage(), calibration),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * Agent-R: a search finds failures and successes of each task; a failure is cut at its first error, continued with
 * a correction and the right way, and imitated.
 *
 * Source: Yuan et al. 2025, "Agent-R: Training Language Model Agents to Reflect via Iterative Self-Training",
 * arXiv:2501.11425.
 * Differs from it: the first error is the first turn that differs from the success, not one that the policy
 * identifies; the environment is reset to where the success continues.
 * Why: compared with a success, the first different turn is exact, and a nano model cannot find its errors.
 */
const agentR: CreateRecipe = recipe({
  name: "agent-r",
  literature: "Agent-R",
  differs: [
    "the first error is the first turn that differs from the success, not one that the policy identifies",
    "the environment is reset to where the success continues",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: {
    attempts: 8,
    width: 2,
    exploration: 0.5,
    rounds: 2,
    steps: 12,
    learningRate: 3e-3,
  },
  stages: ({ attempts, width, exploration, steps, learningRate }) => [
    tokenStage({
      rollout: parts.tree(attempts, {
        rule: { kind: "uct", exploration },
        width,
        retells: revision("That was wrong. I go back and try otherwise."),
      }),
      filters: [parts.retold()],
      reward: parts.outcome(),
      advantage: parts.monteCarloTree(),
      losses: [parts.maskedCrossEntropy()],
      state: { "tree-store": parts.searchTrees },
      steps,
      settings: { tasksPerStep: 6, learningRate },
    }),
  ],
});

/**
 * R-MCTS self-learning: imitates judged searches as they went, with wrong branches and the ways back; failures and
 * their replacements become lessons for later rollouts.
 *
 * Source: Yu et al. 2024, "Improving Autonomous AI Agents with Reflective Tree Search and Self-Learning",
 * arXiv:2410.02052.
 * Differs from it: one judge, without a debate; lessons are written by rule from the differing turns.
 * Why: a rule gives the same judgment and lesson in every run, and a debate would need a model call for each turn.
 */
const rMcts: CreateRecipe = recipe({
  name: "r-mcts",
  literature: "R-MCTS self-learning",
  differs: ["one judge, without a debate", "lessons are written by rule from the differing turns"],
  mechanism: "partial",
  schedule: ["one"],
  settings: {
    attempts: 8,
    width: 2,
    exploration: 0.5,
    branches: 2,
    steps: 20,
    learningRate: 3e-3,
  },
  stages: ({ attempts, width, exploration, branches, steps, learningRate }) => [
    tokenStage({
      rollout: parts.tree(attempts, {
        rule: { kind: "puct", exploration },
        width,
        retells: parts.traversal("This leads nowhere. I go back.", branches),
      }),
      filters: [contrasted(), parts.retold(true)],
      reward: parts.judge(callsAndResults),
      // No tree is kept for a later step: its lessons change the prompt, and recorded turns would not follow it.
      advantage: parts.monteCarlo(),
      losses: [parts.crossEntropy()],
      state: {
        "tree-store": parts.searchTrees,
        experience: parts.experience("by-step"),
        judge: parts.judgment,
      },
      steps,
      settings: { tasksPerStep: 6, learningRate },
    }),
  ],
});

/**
 * WebCoT: combines several demonstrations of a task into one, with failures, rollbacks and a text at each rollback,
 * and imitates it.
 *
 * Source: "WebCoT: Enhancing Web Agent Reasoning by Reconstructing Chain-of-Thought in Reflection, Branching, and
 * Rollback" (S353).
 * Differs from it: the texts are fixed, and no model rewrites them; reflection and rollback have the same form; the
 * misleading turns are read and not trained.
 * Why: a nano model cannot rewrite text, and fixed texts teach where to place them.
 */
const webCot: CreateRecipe = recipe({
  name: "web-cot",
  literature: "WebCoT",
  differs: [
    "the texts are fixed, and no model rewrites them",
    "reflection and rollback have the same form",
    "the misleading turns are read and not trained",
  ],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { shown: 4, mistakes: 0.4, branches: 1, steps: 25, learningRate: 3e-3 },
  stages: ({ shown, mistakes, branches, steps, learningRate }) => [
    tokenStage({
      rollout: retoldDemos(
        shown,
        mistakes,
        parts.traversal("That does not help. I go back and think again.", branches),
      ),
      filters: [storeTrees(), parts.retold()],
      losses: [parts.crossEntropy()],
      state: { "tree-store": parts.searchTrees },
      steps,
      settings: { tasksPerStep: 16, learningRate },
    }),
  ],
});

export const IMITATED_RECIPES: readonly CreateRecipe[] = [proAct, agentR, rMcts, webCot];
