/**
 * SPEAR: stored successes are imitated as far as they still beat the policy, with a weight that rises
 * while a bonus for calls fades.
 *
 * Source: "Learn the Ropes, Then Trust the Wins: Self-imitation with Progressive Exploration for
 * Agentic Reinforcement Learning", arXiv:2509.22601.
 * Differs from it: the policy's own level is one moving average for all tasks; what is masked is the
 * share of tokens with a covariance above zero.
 * Why: one average has enough rollouts behind it from the first steps on.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const spear: CreateRecipe = recipe({
  name: "spear",
  literature: "SPEAR",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the policy's own level is one moving average for all tasks",
    "what is masked is the share of tokens with a covariance above zero",
  ],
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
      filters: [parts.mixedGroup(), parts.storedWins(replayed)],
      reward: parts.weighted([
        [parts.outcome(), { standard: 1 }],
        [parts.callBonus(bonus), { standard: 1 }],
      ]),
      advantage: parts.besideStored(parts.groupAdvantage()),
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
