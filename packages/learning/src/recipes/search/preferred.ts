/** A tree search whose forks become preferences. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { pairStage, rewardModelStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { chosenSucceeds } from "../../filters/accepted.ts";
import { callsAndResults } from "../../rewards/calls-and-results.ts";
import { outcomeModel } from "../stages/outcome-model.ts";

/**
 * Agent Q: a guided search over the turns of each task; at its forks the better action is preferred, by outcome and
 * critique together.
 *
 * Source: Putta et al. 2024, "Agent Q: Advanced Reasoning and Learning for Autonomous AI Agents", arXiv:2408.07199.
 * Differs from it: the critique covers the whole rollout through an action, instead of ranking actions before they
 * are tried; the search itself uses outcomes.
 * Why: outcomes guide the search without another model, and the critique only adds to them.
 */
const agentQ: CreateRecipe = recipe({
  name: "agent-q",
  literature: "Agent Q",
  differs: [
    "the critique covers the whole rollout through an action, instead of ranking actions before they are tried",
    "the search itself uses outcomes",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: {
    attempts: 8,
    width: 2,
    exploration: 0.5,
    critique: 0.3,
    margin: 0.1,
    beta: 0.1,
    taskPool: 96,
    rounds: 2,
    steps: 12,
    learningRate: 3e-3,
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
        ref: parts.reference,
        judge: parts.judgment,
        "tree-store": parts.searchTrees,
      },
      steps: run.steps,
      settings: { tasksPerStep: 6, taskPool, learningRate: run.learningRate },
    }),
  ],
});

/**
 * AgentRM: a search over the turns of each task estimates the values of actions, and a reward model learns to rank
 * them. The policy is frozen.
 *
 * Source: Xia et al. 2025, "AgentRM: Enhancing Agent Generalization with Reward Modeling", arXiv:2502.18407.
 * Differs from it: actions are compared at forks instead of being assigned values; the value of a rollout is its
 * outcome, mixed with the current model's rating.
 * Why: two actions at a fork have the same past, so no scale of values must be learned.
 */
const agentRm: CreateRecipe = recipe({
  name: "agent-rm",
  literature: "AgentRM",
  differs: [
    "actions are compared at forks instead of being assigned values",
    "the value of a rollout is its outcome, mixed with the current model's rating",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: {
    attempts: 8,
    width: 2,
    exploration: 0.5,
    trust: 0.1,
    margin: 0.1,
    taskPool: 96,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ attempts, width, exploration, trust, margin, taskPool, steps, learningRate }) => [
    rewardModelStage({
      rollout: parts.tree(attempts, { rule: { kind: "uct", exploration }, width }),
      filters: [parts.forks(margin)],
      reward: parts.weighted<"rm">([
        [parts.outcome(), 1 - trust],
        [parts.rewardModel("logits"), trust],
      ]),
      advantage: parts.monteCarloTree(),
      losses: [parts.rank()],
      state: { rm: parts.rewardModelState, "tree-store": parts.searchTrees },
      steps,
      settings: { tasksPerStep: 12, taskPool, learningRate },
    }),
  ],
});

/**
 * TOA: a search over generation steps, guided by a reward model, creates the data for alignment.
 *
 * Source: Ye et al. 2024, "Multi-Agent Sampling: Scaling Inference Compute for Data Synthesis with Tree
 * Search-Based Agentic Collaboration", arXiv:2412.17061.
 * Differs from it: one policy acts at every node, while the paper chooses among several models; the reward model is
 * trained here, on demonstrations.
 * Why: a page holds one base model, and demonstrations with mistakes are the available labels.
 */
const toa: CreateRecipe = recipe({
  name: "toa",
  literature: "TOA",
  differs: [
    "one policy acts at every node, while the paper chooses among several models",
    "the reward model is trained here, on demonstrations",
  ],
  mechanism: "nominal",
  schedule: ["one"],
  settings: {
    attempts: 8,
    width: 2,
    exploration: 0.5,
    margin: 0.05,
    beta: 0.1,
    imitation: 0.5,
    taskPool: 96,
    modelSteps: 8,
    steps: 20,
    learningRate: 3e-3,
  },
  stages: ({ attempts, width, exploration, margin, beta, imitation, learningRate, ...run }) => [
    outcomeModel({ steps: run.modelSteps, learningRate, at: "end" }),
    pairStage({
      rollout: parts.tree(attempts, { rule: { kind: "uct", exploration }, width }),
      filters: [chosenSucceeds(parts.forks(margin))],
      reward: parts.rewardModel(),
      advantage: parts.monteCarloTree(),
      losses: [parts.dpo(beta), { loss: parts.chosenCrossEntropy(), weight: imitation }],
      state: {
        ref: parts.reference,
        rm: parts.rewardModelState,
        "tree-store": parts.searchTrees,
      },
      steps: run.steps,
      settings: { tasksPerStep: 12, taskPool: run.taskPool, learningRate },
    }),
  ],
});

export const PREFERRED_RECIPES: readonly CreateRecipe[] = [agentQ, agentRm, toa];
