/** Notes and memories in the place of the history. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { foldingDemos, notedDemos, notedSingle, rememberedGroup } from "../../rollouts/folded.ts";
import { lossOfRole } from "../../losses/role-losses.ts";
import { byRole } from "../../advantages/by-role.ts";

/**
 * AgentFold: each step's context is the request, the agent's notes and the last result. The agent notes what it
 * saw, summarizes several notes where possible, and acts; all of it is imitated.
 *
 * Source: "AgentFold: Long-Horizon Web Agents with Proactive Context Management" (S041).
 * Differs from it: notes are written by rule; summaries cover failed rollouts.
 * Why: a rule writes the same summary in every run, and a nano model cannot write summaries.
 */
const agentFold: CreateRecipe = recipe({
  name: "agent-fold",
  literature: "AgentFold",
  differs: ["notes are written by rule", "summaries cover failed rollouts"],
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
 * BrowserAgent: an agent that acts from its own notes of conclusions; imitates demonstrations first, then its own
 * successful rollouts.
 *
 * Source: "BrowserAgent: Building Web Agents with Human-Inspired Web Browsing Actions" (S103).
 * Differs from it: the memory covers one rollout; conclusions of demonstrations are written by rule.
 * Why: a nano model cannot write conclusions, and a rule writes the same ones in every run.
 */
const browserAgent: CreateRecipe = recipe({
  name: "browser-agent",
  literature: "BrowserAgent",
  differs: ["the memory covers one rollout", "conclusions of demonstrations are written by rule"],
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
 * Flow-GRPO: the planner is trained inside the flow. Each turn sees a memory instead of the history and is a short
 * sample with the advantage of its rollout; the other modules are frozen.
 *
 * Source: Li et al. 2025, "In-the-Flow Agentic System Optimization for Effective Planning and Tool Use",
 * arXiv:2510.05592.
 * Differs from it: the memory is written by rule, one line per call and result; the planner takes the turns with
 * calls, and the answering turn is not trained.
 * Why: a rule writes the same memory in every run, and the memory serves the answer.
 */
const flowGrpo: CreateRecipe = recipe({
  name: "flow-grpo",
  literature: "Flow-GRPO",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the memory is written by rule, one line per call and result",
    "the planner takes the turns with calls, and the answering turn is not trained",
  ],
  mechanism: "partial",
  needs: ["several-calls"],
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
 * Memory-R1: a manager adds, updates, deletes or keeps entries of a memory line by line; an answerer sees only the
 * memory and the question. Both learn from the correctness of the final answer.
 *
 * Source: Yan et al. 2025, "Memory-R1: Enhancing Large Language Model Agents to Manage and Utilize Memories via
 * Reinforcement Learning", arXiv:2508.19828.
 * Differs from it: both learn at once, the manager within groups and the answerer with a critic; the answerer sees
 * the whole memory, not the output of a retriever.
 * Why: a memory that fits the nano context needs no retriever, and a critic serves where there is no group.
 */
const memoryR1: CreateRecipe = recipe({
  name: "memory-r1",
  literature: "Memory-R1",
  differs: [
    "both learn at once, the manager within groups and the answerer with a critic",
    "the answerer sees the whole memory, not the output of a retriever",
  ],
  mechanism: "partial",
  needs: ["memory"],
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
