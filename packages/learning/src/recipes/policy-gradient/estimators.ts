/** Other estimates of the advantage, and other objectives, on whole trajectories. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * BN-GSPO: one ratio per sequence, and advantages normalized to mean 0 and deviation 1 over the batch.
 *
 * Source: "SenseNova-MARS" (S301); the ratio is Zheng et al. 2025, "GSPO", arXiv:2507.18071.
 * Differs from it: the loss is a token mean over the minibatch; groups with equal rewards are rolled out again.
 * Why: a token mean gives long trajectories their full weight, and groups of a nano model often have equal rewards.
 */
const bnGspo: CreateRecipe = recipe({
  name: "bn-gspo",
  literature: "BN-GSPO",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
  ],
  mechanism: "whole",
  schedule: ["one"],
  settings: { groupSize: 8, lower: 3e-4, upper: 4e-4, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, lower, upper, steps, learningRate }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.batchNormalized(parts.groupAdvantage()),
      losses: [parts.sequenceRatio(lower, upper)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * TA-MDP components: normalizes outcome, format and successful calls separately and then adds them.
 *
 * Source: "Rethinking Reinforcement Fine-Tuning in LVLM: Convergence, Reward Decomposition, and Generalization"
 * (S285).
 * Differs from it: the loss is a token mean over the minibatch.
 * Why: a token mean gives long trajectories their full weight.
 */
const taMdp: CreateRecipe = recipe({
  name: "ta-mdp",
  literature: "TA-MDP components",
  differs: ["the loss is a token mean over the minibatch"],
  mechanism: "partial",
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    formatWeight: 0.2,
    execWeight: 0.2,
  },
  stages: ({ groupSize, epsilon, steps, learningRate, formatWeight, execWeight }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      reward: parts.weighted([
        [parts.outcome(), { default: 1 }],
        [parts.format(), formatWeight],
        [parts.exec(), execWeight],
      ]),
      advantage: parts.splitComponents({ outcome: 1, format: formatWeight, exec: execWeight }),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * HDPO: compares efficiency only among correct trajectories, on a separate scale.
 *
 * Source: "Act Wisely: Cultivating Meta-Cognitive Tool Use in Agentic Multimodal Models" (S019).
 * Differs from it: the loss is a token mean over the minibatch.
 * Why: a token mean gives long trajectories their full weight.
 */
const hdpo: CreateRecipe = recipe({
  name: "hdpo",
  literature: "HDPO",
  differs: ["the loss is a token mean over the minibatch"],
  mechanism: "whole",
  needs: ["long-path"],
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    callCost: 0.05,
    costWeight: 0.3,
  },
  stages: ({ groupSize, epsilon, steps, learningRate, callCost, costWeight }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      reward: parts.weighted([
        [parts.outcome(), { default: 1 }],
        [parts.economy({ toolCall: callCost }, { kind: "decoupled" }), 0],
      ]),
      advantage: parts.splitAdvantage(costWeight),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * GFlowVLM: samples trajectories in proportion to their reward instead of only the best one, among those that the
 * base model would produce.
 *
 * Source: "GFlowVLM: Enhancing Multi-step Reasoning in Vision-Language Models with Generative Flow Networks",
 * arXiv:2503.06514.
 * Differs from it: log Z is estimated from the batch, not learned; trajectory balance, because the abstract names
 * no loss; the reward is exp(outcome / β) times the base model's probability.
 * Why: a batch needs no head for Z, and texts without a reward are so numerous that a flow proportional to the
 * outcome alone would go almost entirely to them.
 */
const gflowVlm: CreateRecipe = recipe({
  name: "gflow-vlm",
  literature: "GFlowVLM",
  differs: [
    "log Z is estimated from the batch, not learned",
    "trajectory balance, because the abstract names no loss",
    "the reward is exp(outcome / β) times the base model's probability",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: { beta: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ beta, steps, learningRate }) => [
    // Trajectory balance needs no advantage: the gap to log R is its own.
    tokenStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      losses: [parts.trajectoryBalancing(beta, "batch")],
      state: { ref: parts.reference },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});

/**
 * Fine-tuning on self-written rationales from single trajectories.
 *
 * Source: Schmied et al. 2025, "LLMs are Greedy Agents", arXiv:2504.16078.
 * Differs from it: the loss is a token mean over the minibatch; the baseline is a moving average, because the
 * abstract names no estimator.
 * Why: a token mean gives long trajectories their full weight, and single rollouts have no group.
 */
const greedyAgents: CreateRecipe = recipe({
  name: "greedy-agents",
  literature: "Greedy-agents RLFT",
  differs: [
    "the loss is a token mean over the minibatch",
    "the baseline is a moving average, because the abstract names no estimator",
  ],
  mechanism: "nominal",
  schedule: ["one"],
  settings: { decay: 0.98, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ decay, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      advantage: parts.movingBaselineAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { baseline: parts.baseline({ decay, prior: 0.5 }) },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});

/**
 * Closed-loop agent RL: a policy trained by imitation is fine-tuned by outcome on the states that it reaches
 * itself.
 *
 * Source: "Improving Agent Behaviors with RL Fine-tuning for Autonomous Driving" (S187).
 * Differs from it: the baseline is a moving average, because the abstract names no estimator.
 * Why: single rollouts have no group.
 */
const closedLoopRl: CreateRecipe = recipe({
  name: "closed-loop-rl",
  literature: "Closed-loop agent RL",
  differs: [
    "the loss is a token mean over the minibatch",
    "the baseline is a moving average, because the abstract names no estimator",
  ],
  mechanism: "nominal",
  schedule: ["sft-rl"],
  settings: { decay: 0.98, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ decay, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      advantage: parts.movingBaselineAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { baseline: parts.baseline({ decay, prior: 0.5 }) },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});

/**
 * RL with retention: reinforcement learning with terms against forgetting: a KL term to the start, and rehearsal of
 * old trajectories.
 *
 * Source: "Fine-tuning Reinforcement Learning Models is Secretly a Forgetting Mitigation Problem" (S161).
 * Differs from it: rehearsed trajectories are the policy's own, with truncated importance weights.
 * Why: a policy in a page has no other dataset than its own past.
 */
const rlRetention: CreateRecipe = recipe({
  name: "rl-retention",
  literature: "RL with retention",
  differs: [
    "the loss is a token mean over the minibatch",
    "rehearsed trajectories are the policy's own, with truncated importance weights",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: {
    rehearsals: 24,
    klCoefficient: 0.05,
    decay: 0.98,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
  },
  stages: ({ rehearsals, klCoefficient, decay, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      filters: [parts.rehearsed(rehearsals)],
      reward: parts.outcome(),
      advantage: parts.movingBaselineAdvantage(),
      losses: [parts.truncatedImportance(parts.pgClip(epsilon))],
      kl: { in: "loss", coefficient: klCoefficient, estimator: "k2" },
      state: {
        baseline: parts.baseline({ decay, prior: 0.5 }),
        ref: parts.reference,
        "rest-buffer": parts.leftovers(),
      },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});

export const ESTIMATOR_RECIPES: readonly CreateRecipe[] = [
  bnGspo,
  taMdp,
  hdpo,
  gflowVlm,
  greedyAgents,
  closedLoopRl,
  rlRetention,
];
