/** A policy that plays against itself or its past. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { pairStage, rewardStage, tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { seededTeacher } from "../../rollouts/teams.ts";
import { demonstrationPairs } from "../../filters/demonstration-pairs.ts";

/**
 * Autocurricula: competition between two sides creates the curriculum; one side's gain is the other's loss.
 *
 * Source: Baker et al. 2020, "Emergent Tool Use From Multi-Agent Autocurricula", arXiv:1909.07528.
 * Differs from it: a side has one member and wins by the better result at the same task, or by fewer calls; there
 * is no hiding.
 * Why: the environments have single-player tasks, so two policies can only compete at the same task.
 */
const autocurricula: CreateRecipe = recipe({
  name: "autocurricula",
  literature: "Autocurricula",
  differs: [
    "a side has one member and wins by the better result at the same task, or by fewer calls",
    "there is no hiding",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: { matches: 4, epsilon: 0.2, lambda: 1, steps: 25, learningRate: 3e-3 },
  stages: ({ matches, epsilon, lambda, steps, learningRate }) => [
    rewardStage({
      rollout: parts.selfPlay(matches),
      reward: parts.matchOutcome(undefined, "team"),
      advantage: parts.gae({ lambda }),
      losses: [parts.pgClip(epsilon), { loss: parts.critic(), weight: parts.CRITIC_WEIGHT }],
      state: { critic: parts.valueHead },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});

/**
 * MARS: self-play with credit for every turn, normalized separately for each side.
 *
 * Source: "MARS: Reinforcing Multi-Agent Reasoning of LLMs through Self-Play in Strategic Games", arXiv:2510.15414.
 * Differs from it: the game is to solve a task better; a match is won or lost only at its end.
 * Why: the environments have single-player tasks that two policies can try, and nothing is won in between.
 */
const mars: CreateRecipe = recipe({
  name: "mars",
  literature: "MARS",
  differs: ["the game is to solve a task better", "a match is won or lost only at its end"],
  mechanism: "partial",
  schedule: ["one"],
  settings: { matches: 6, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ matches, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.selfPlay(matches),
      reward: parts.matchOutcome(),
      advantage: parts.perAgentTurns(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 8, learningRate },
    }),
  ],
});

/**
 * Open-ended learning: the policy meets its past checkpoints, on tasks that it neither always nor never wins.
 *
 * Source: Open Ended Learning Team 2021, "Open-Ended Learning Leads to Generally Capable Agents", arXiv:2107.12808.
 * Differs from it: generations are compared through the checkpoints that they meet, not by percentile; group
 * statistics by role.
 * Why: a percentile needs many results per generation, and the roles of a match have different rewards.
 */
const openEndedLearning: CreateRecipe = recipe({
  name: "open-ended-learning",
  literature: "Open-ended learning",
  differs: [
    "generations are compared through the checkpoints that they meet, not by percentile",
    "group statistics by role",
  ],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { matches: 8, epsilon: 0.2, pool: 4, steps: 6, rounds: 4, learningRate: 3e-3 },
  stages: ({ matches, epsilon, pool, steps, learningRate }) => [
    rewardStage({
      rollout: parts.selfPlayAgainstPast(matches),
      filters: [parts.withoutOpponents(), parts.passRateBand()],
      reward: parts.matchOutcome(),
      advantage: parts.perAgent(),
      losses: [parts.pgClip(epsilon)],
      state: { "task-stats": parts.taskStats(), opponents: parts.opponents(pool) },
      steps,
      settings: { tasksPerStep: 8, learningRate },
    }),
  ],
});

/**
 * SPIN: prefers demonstrations over the rollouts of the previous checkpoint, round after round.
 *
 * Source: Chen et al. 2024, "Self-Play Fine-Tuning Converts Weak Language Models to Strong Language Models",
 * arXiv:2401.01335; for images "Self-Play Fine-Tuning of Diffusion Models", arXiv:2402.10210.
 * Differs from it: the reference is the base model in every round, not the previous checkpoint.
 * Why: the base model is loaded anyway, and a checkpoint would be one more adapter.
 */
const spin: CreateRecipe = recipe({
  name: "spin",
  literature: "SPIN",
  differs: ["the reference is the base model in every round, not the previous checkpoint"],
  mechanism: "partial",
  schedule: ["rounds"],
  settings: { beta: 0.1, steps: 6, rounds: 3, learningRate: 3e-3 },
  stages: ({ beta, steps, learningRate }) => [
    pairStage({
      rollout: parts.demosAgainstPast(),
      filters: [demonstrationPairs()],
      reward: parts.preference(),
      losses: [parts.dpo(beta)],
      state: { ref: parts.reference, opponents: parts.opponents(1, ["student"]) },
      steps,
      settings: { tasksPerStep: 16, learningRate },
    }),
  ],
});

/**
 * SIL: the teacher starts each round as a copy of the student and learns from rewards; the student imitates the
 * teacher, which filters out behavior that only served the reward.
 *
 * Source: Lu et al. 2020, "Countering Language Drift with Seeded Iterated Learning", arXiv:2003.12694.
 * Differs from it: the baseline of the teacher's rewards is a moving average.
 * Why: single rollouts have no group.
 */
const sil: CreateRecipe = recipe({
  name: "sil",
  literature: "SIL",
  differs: ["the baseline of the teacher's rewards is a moving average"],
  mechanism: "whole",
  schedule: ["alternate"],
  settings: { epsilon: 0.2, teacherSteps: 4, steps: 3, rounds: 4, learningRate: 3e-3 },
  stages: ({ epsilon, teacherSteps, steps, learningRate }) => [
    rewardStage({
      name: "teacher",
      rollout: parts.single(),
      reward: parts.outcome(),
      advantage: parts.movingBaselineAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: {
        "role-adapters": parts.roleAdapters(["teacher"]),
        "slow-copy": seededTeacher(true),
        baseline: parts.baseline(),
      },
      steps: teacherSteps,
      settings: { tasksPerStep: 96, learningRate },
    }),
    tokenStage({
      name: "student",
      rollout: parts.single(),
      losses: [parts.crossEntropy()],
      state: { "slow-copy": seededTeacher(false) },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});

export const SELF_PLAY_RECIPES: readonly CreateRecipe[] = [
  autocurricula,
  mars,
  openEndedLearning,
  spin,
  sil,
];
