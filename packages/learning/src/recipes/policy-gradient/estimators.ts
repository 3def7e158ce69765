/** Other estimates of the advantage, and other objectives, on whole trajectories. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";

/**
 * BN-GSPO: one ratio a sequence, and advantages brought to mean 0 and deviation 1 over the batch.
 *
 * Source: "SenseNova-MARS" (S301); the ratio is Zheng et al. 2025, "GSPO", arXiv:2507.18071.
 * Differs from it: token-mean over the minibatch; groups without a signal are rolled out again.
 * Why: a token mean keeps long trajectories from weighing less, and a nano model's groups are often all right or
 * all wrong.
 */
const bnGspo: CreateRecipe = recipe({
  name: "bn-gspo",
  literature: "BN-GSPO",
  differs: ["token-mean over the minibatch", "groups without a signal are rolled out again"],
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
 * TA-MDP components: outcome, form and running calls are normalized apart and then summed.
 *
 * Source: "Rethinking Reinforcement Fine-Tuning in LVLM: Convergence, Reward Decomposition, and
 * Generalization" (S285).
 * Differs from it: token-mean over the minibatch.
 * Why: a token mean keeps long trajectories from weighing less.
 */
const taMdp: CreateRecipe = recipe({
  name: "ta-mdp",
  literature: "TA-MDP components",
  differs: ["token-mean over the minibatch"],
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
 * HDPO: thrift is judged among correct trajectories only and on a scale of its own.
 *
 * Source: "Act Wisely: Cultivating Meta-Cognitive Tool Use in Agentic Multimodal Models" (S019).
 * Differs from it: token-mean over the minibatch.
 * Why: a token mean keeps long trajectories from weighing less.
 */
const hdpo: CreateRecipe = recipe({
  name: "hdpo",
  literature: "HDPO",
  differs: ["token-mean over the minibatch"],
  mechanism: "whole",
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
 * GFlowVLM: trajectories are sampled in proportion to their reward instead of as the best one, among those that
 * the base would say.
 *
 * Source: "GFlowVLM: Enhancing Multi-step Reasoning in Vision-Language Models with Generative Flow
 * Networks", arXiv:2503.06514.
 * Differs from it: log Z is estimated from the batch, not learned; trajectory balance; the reward is
 * exp(outcome / β) times the base's probability, as in "Trajectory Balance with Asynchrony", arXiv:2503.18929.
 * Why: the abstract names no loss, a batch needs no head for Z, and texts without a reward are so many more
 * that a flow in proportion to the outcome alone is almost all theirs.
 */
const gflowVlm: CreateRecipe = recipe({
  name: "gflow-vlm",
  literature: "GFlowVLM",
  differs: [
    "log Z is estimated from the batch, not learned",
    "trajectory balance, as the abstract names no loss",
    "the reward is exp(outcome / β) times the base's probability",
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
 * Fine-tuning on self-written rationales from single trajectories; the abstract names no estimator, so a
 * moving baseline stands in.
 *
 * Source: Schmied et al. 2025, "LLMs are Greedy Agents", arXiv:2504.16078.
 * Differs from it: token-mean over the minibatch; a moving baseline.
 * Why: a token mean keeps long trajectories from weighing less, and single rollouts have no group to be compared
 * with.
 */
const greedyAgents: CreateRecipe = recipe({
  name: "greedy-agents",
  literature: "Greedy-agents RLFT",
  differs: [
    "token-mean over the minibatch",
    "a moving baseline, as the abstract names no estimator",
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
 * Closed-loop agent RL: a policy that imitates first is tuned on the states that it brings about
 * itself, by the outcome.
 *
 * Source: "Improving Agent Behaviors with RL Fine-tuning for Autonomous Driving" (S187).
 * Differs from it: a moving baseline.
 * Why: the abstract names no estimator.
 */
const closedLoopRl: CreateRecipe = recipe({
  name: "closed-loop-rl",
  literature: "Closed-loop agent RL",
  differs: [
    "token-mean over the minibatch",
    "a moving baseline, as the abstract names no estimator",
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
 * RL with retention: terms against forgetting beside any reinforcement: a pull to where it started,
 * and old trajectories rehearsed.
 *
 * Source: "Fine-tuning Reinforcement Learning Models is Secretly a Forgetting Mitigation Problem"
 * (S161).
 * Differs from it: rehearsed trajectories are the policy's own, weighed by truncated importance.
 * Why: no other data set than its own past is there for a policy in a page.
 */
const rlRetention: CreateRecipe = recipe({
  name: "rl-retention",
  literature: "RL with retention",
  differs: [
    "token-mean over the minibatch",
    "rehearsed trajectories are the policy's own, weighed by truncated importance",
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
