/** Notes and memories in the place of the history. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { foldingDemos, notedDemos, notedSingle, rememberedGroup } from "../../rollouts/folded.ts";
import { lossOfRole } from "../../losses/role-losses.ts";
import { byRole } from "../../advantages/by-role.ts";

/**
 * AgentFold: every step begins with the request, what the agent noted and the last result; it notes what
 * it saw, sums several notes up where it can, and acts, all learned by imitation.
 *
 * Source: "AgentFold: Long-Horizon Web Agents with Proactive Context Management" (S041).
 * Differs from it: notes are written by rule; what is summed up are rollouts that failed.
 * Why: a rule sums the same up in every run; a nano model does not write summaries.
 */
const agentFold: CreateRecipe = recipe({
  name: "agent-fold",
  literature: "AgentFold",
  differs: ["notes are written by rule", "what is summed up are rollouts that failed"],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { mistakes: 0, steps: 100, learningRate: 3e-3 },
  stages: ({ mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: foldingDemos(mistakes),
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

/**
 * BrowserAgent: an agent that acts from its own notes of conclusions, by imitation first and then from
 * those of its own rollouts that succeeded.
 *
 * Source: "BrowserAgent: Building Web Agents with Human-Inspired Web Browsing Actions" (S103).
 * Differs from it: a memory is one rollout's; conclusions of demonstrations are written by rule.
 * Why: a nano model does not write conclusions; a rule writes the same ones in every run.
 */
const browserAgent: CreateRecipe = recipe({
  name: "browser-agent",
  literature: "BrowserAgent",
  differs: ["a memory is one rollout's", "conclusions of demonstrations are written by rule"],
  mechanism: "partial",
  schedule: ["sft-rft"],
  settings: { mistakes: 0, startSteps: 80, steps: 15, learningRate: 3e-3 },
  stages: ({ mistakes, startSteps, steps, learningRate }) => [
    tokenStage({
      name: "start",
      rollout: notedDemos(mistakes),
      losses: [parts.crossEntropy()],
      state: { "memory-bank": parts.notes },
      steps: startSteps,
      settings: { tasksPerStep: 32, learningRate },
    }),
    tokenStage({
      name: "own successes",
      rollout: notedSingle(),
      filters: [parts.success()],
      reward: parts.outcome(),
      losses: [parts.crossEntropy()],
      state: { "memory-bank": parts.notes },
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

/**
 * Flow-GRPO: the planner acts in the flow, each turn from a memory in the place of the history, and each turn
 * is a short sample that carries the advantage of its rollout; other modules stay as they are.
 *
 * Source: Li et al. 2025, "In-the-Flow Agentic System Optimization for Effective Planning and Tool Use",
 * arXiv:2510.05592.
 * Differs from it: the memory is written by rule: a line a call with its result; the planner is whoever calls; the turn that answers is left as it is.
 * Why: a rule remembers the same in every run, and the answer is what the memory is for.
 */
const flowGrpo: CreateRecipe = recipe({
  name: "flow-grpo",
  literature: "Flow-GRPO",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the memory is written by rule: a line a call with its result",
    "the planner is whoever calls; the turn that answers is left as it is",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: rememberedGroup(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.broadcastTurns(),
      losses: [parts.spanMask(parts.pgClip(epsilon), ({ toolCalls }) => toolCalls.length > 0)],
      state: { "memory-bank": parts.notes },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

const ROLES = { manager: "manager", answerer: "answerer" } as const;

/**
 * Memory-R1: a manager adds, updates, deletes or leaves entries of a memory, line by line; an answerer has the
 * memory and the question, and nothing else. Both learn from whether the final answer is right.
 *
 * Source: Yan et al. 2025, "Memory-R1: Enhancing Large Language Model Agents to Manage and Utilize Memories via
 * Reinforcement Learning", arXiv:2508.19828.
 * Differs from it: both learn at once, the manager within groups and the answerer with a critic, where the
 * paper tries either for each, one agent at a time; the answerer sees the whole memory, not what a retriever
 * found in it.
 * Why: a memory that fits the nano context needs no retriever, and a critic is asked where there is no group.
 */
const memoryR1: CreateRecipe = recipe({
  name: "memory-r1",
  literature: "Memory-R1",
  differs: [
    "both learn at once, the manager within groups and the answerer with a critic",
    "the answerer sees the whole memory, not what a retriever found in it",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, lambda: 0.95, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, lambda, steps, learningRate }) => [
    rewardStage({
      rollout: parts.managedMemory(ROLES, groupSize),
      reward: parts.outcome(),
      advantage: byRole({
        [ROLES.manager]: parts.broadcastTurns(),
        [ROLES.answerer]: parts.gae({ lambda }),
      }),
      losses: [
        parts.pgClip(epsilon),
        { loss: lossOfRole(ROLES.answerer, parts.critic()), weight: parts.CRITIC_WEIGHT },
      ],
      state: {
        "memory-bank": parts.ownMemory,
        "role-adapters": parts.roleAdapters(Object.values(ROLES)),
        critic: parts.valueHead,
      },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

export const NOTE_RECIPES: readonly CreateRecipe[] = [agentFold, browserAgent, flowGrpo, memoryR1];
