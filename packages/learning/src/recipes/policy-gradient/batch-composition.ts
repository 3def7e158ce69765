/** Which of the sampled and stored trajectories enter the batch. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { storedWins } from "../../filters/stored-wins.ts";
import { recomposeLater } from "../../filters/recompose.ts";
import { besideStored } from "../../advantages/beside-stored.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * GRPO-RoC: after a start from demonstrations, oversamples, keeps failures at random and prefers successes with few
 * tool errors.
 *
 * Source: Shang et al. 2025, "rStar2-Agent", arXiv:2508.20722.
 * Differs from it: one length limit instead of several.
 * Why: trajectories in these environments are short.
 */
const grpoRoc: CreateRecipe = recipe({
  name: "grpo-roc",
  literature: "GRPO-RoC",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "one length limit instead of several",
  ],
  mechanism: "whole",
  schedule: ["sft-rl", "stages"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    tokenStage({
      name: "start",
      rollout: parts.demos(),
      losses: [parts.crossEntropy()],
      steps: startSteps,
      settings: { tasksPerStep: 32, learningRate },
    }),
    rewardStage({
      rollout: parts.group(2 * groupSize),
      filters: [parts.cleanCorrect(groupSize), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 6, learningRate },
    }),
  ],
});

/**
 * RoRecomp: changes only the composition of the batch: short successes with long failures; the rest is learned
 * later.
 *
 * Source: "RoRecomp: Enhancing Reasoning Efficiency via Rollout Response Recomposition in Reinforcement Learning",
 * arXiv:2509.25958.
 * Differs from it: a later step learns from all stored trajectories and stores its own instead; no group is rolled
 * out again.
 * Why: nothing that is stored is lost when a step has few groups of its own.
 */
const roRecomp: CreateRecipe = recipe({
  name: "ro-recomp",
  literature: "RoRecomp",
  differs: [
    "the loss is a token mean over the minibatch",
    "a later step learns from all stored trajectories and stores its own instead",
    "no group is rolled out again",
  ],
  mechanism: "whole",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, share: 0.5, later: 0.5 },
  stages: ({ groupSize, epsilon, steps, learningRate, share, later }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [recomposeLater(share, later)],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "rest-buffer": parts.leftovers(48) },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * ARPO (GUI): a stored success joins a group in which every rollout failed, and tasks are chosen by their pass
 * rate.
 *
 * Source: "ARPO:End-to-End Policy Optimization for GUI Agents with Experience Replay", arXiv:2505.16282.
 * Differs from it: tasks come from a pool, so that a stored success meets its task again.
 * Why: a stored success is useful only if its task returns.
 */
const arpoGui: CreateRecipe = recipe({
  name: "arpo-gui",
  literature: "ARPO (GUI replay)",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "tasks come from a pool, so that a stored success meets its task again",
  ],
  mechanism: "whole",
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, pool: 96 },
  stages: ({ groupSize, epsilon, steps, learningRate, pool }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.passRateBand(), parts.storedSuccess(), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "good-buffer": parts.goodBuffer(), "task-stats": parts.taskStats() },
      steps,
      settings: { tasksPerStep: 12, learningRate, taskPool: pool },
    }),
  ],
});

/**
 * SPEAR: imitates stored successes while they are better than the policy, with a growing weight, while a bonus for
 * calls decays.
 *
 * Source: "Learn the Ropes, Then Trust the Wins: Self-imitation with Progressive Exploration for Agentic
 * Reinforcement Learning", arXiv:2509.22601.
 * Differs from it: the policy's own level is one moving average for all tasks; the mask covers the share of tokens
 * with a covariance above zero.
 * Why: one average has enough rollouts from the first steps on.
 */
const spear: CreateRecipe = recipe({
  name: "spear",
  literature: "SPEAR",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "the policy's own level is one moving average for all tasks",
    "the mask covers the share of tokens with a covariance above zero",
  ],
  mechanism: "whole",
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    replayed: 24,
    bonus: 0.1,
    decay: 0.98,
    maskedShare: 0.002,
    pool: 96,
  },
  stages: ({
    groupSize,
    epsilon,
    steps,
    learningRate,
    replayed,
    bonus,
    decay,
    maskedShare,
    pool,
  }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup(), storedWins(replayed)],
      reward: parts.weighted([
        [parts.outcome(), { default: 1 }],
        [parts.callBonus(bonus), { default: 1 }],
      ]),
      advantage: besideStored(parts.groupAdvantage()),
      losses: [
        parts.covMask(parts.pgClip(epsilon), {
          share: maskedShare,
          lowest: 0,
          highest: Number.POSITIVE_INFINITY,
        }),
      ],
      state: {
        "good-buffer": parts.goodBuffer(),
        baseline: parts.baseline({ decay, prior: 0.5 }),
      },
      schedule: [parts.weightAnneal({ imitation: [0, 1] })],
      steps,
      settings: { tasksPerStep: 12, learningRate, taskPool: pool },
    }),
  ],
});

/**
 * RFT with instance filter: continual fine-tuning that drops tasks whose trajectories all have the same reward.
 *
 * Source: "Reinforcement Fine-Tuning Naturally Mitigates Forgetting in Continual Post-Training" (S281).
 * Differs from it: rounds over one environment, not over several.
 * Why: each environment has its own base model, so rounds over several would start over.
 */
const rftInstanceFilter: CreateRecipe = recipe({
  name: "rft-instance-filter",
  literature: "RFT with instance filter",
  differs: [
    "the loss is a token mean over the minibatch",
    "groups with equal rewards are rolled out again",
    "rounds over one environment, not over several",
  ],
  mechanism: "nominal",
  schedule: ["rounds"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, rounds: 2 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});

export const BATCH_COMPOSITION_RECIPES: readonly CreateRecipe[] = [
  grpoRoc,
  roRecomp,
  arpoGui,
  spear,
  rftInstanceFilter,
];
