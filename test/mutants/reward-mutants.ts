/** Mistakes in rewards and filters. */
import { type Mutant, mutantsOf } from "./mutant.ts";

const LEARNING = "packages/learning/src";

export const REWARD_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    `${LEARNING}/rewards/combinators.ts`,
    [`${LEARNING}/rewards/rewards.test.ts`],
    [
      [
        "gate-always-open",
        "return isPaid ? summed([first, second], [1, 1]) : first;",
        "return isPaid || first ? summed([first, second], [1, 1]) : first;",
        "failures get the bonus",
      ],
      [
        "weighted-ignores-weights",
        "Number(weights[weightName(part)]) * (rewardWeights?.[part] ?? 1)",
        "(weights, rewardWeights?.[part] ?? 1)",
        "parts weigh alike",
      ],
      [
        "weighted-ignores-schedule",
        "* (rewardWeights?.[part] ?? 1)",
        "* (0 * (rewardWeights?.[part] ?? 1) + 1)",
        "a schedule of weights has no effect",
      ],
      [
        "turn-rewards-unweighed",
        "add(({ turnRewards }) => turnRewards?.[t] ?? 0)",
        "rewards.reduce((sum, { turnRewards }) => sum + (turnRewards?.[t] ?? 0), 0)",
        "turns are paid without weights",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/rewards/exploration-bonus.ts`,
    [`${LEARNING}/rewards/rewards.test.ts`],
    [
      [
        "bonus-does-not-fade",
        "given.bonusWeight * Math.max(0, 1 - step / steps)",
        "given.bonusWeight * Math.max(0, 1 - (0 * step) / steps)",
        "calls are paid to the end",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/rewards/team-reward.ts`,
    [`${LEARNING}/rewards/rewards.test.ts`],
    [
      [
        "team-pays-all",
        "trajectories.filter((other) => other.joint === joint)",
        "trajectories.filter((other) => other.joint === joint || other)",
        "joint rollouts share their rewards",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/rewards/economy.ts`,
    [`${LEARNING}/rewards/rewards.test.ts`],
    [
      [
        "economy-without-prices",
        "economyReward(trajectory.verification, cost, how)",
        "economyReward(trajectory.verification, 0 * cost, how)",
        "calls cost nothing",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/rewards/learned-rewards.ts`,
    [`${LEARNING}/rewards/rewards.test.ts`],
    [
      [
        "rm-first-word",
        "const last = turns.at(-1) ?? 0;",
        "const last = turns.at(0) ?? 0;",
        "the reward is what the model said first",
      ],
      [
        "process-without-outcome",
        "calibratedByOutcome(reward, rewards, spread)",
        "calibratedByOutcome(0 * reward, rewards, spread)",
        "steps of failures are worth those of successes",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/rewards/multi-dimensional.ts`,
    [`${LEARNING}/rewards/rewards.test.ts`],
    [
      [
        "multi-dim-unweighed",
        "entries.map(([, { weight }]) => weight),",
        "entries.map(() => 1),",
        "dimensions weigh alike",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/filters/mixed-groups.ts`,
    [`${LEARNING}/filters/filters.test.ts`],
    [
      [
        "mixed-group-without-tolerance",
        "mixedGroups(all.map(rewardsOf), given.tolerance)",
        "mixedGroups(all.map(rewardsOf), 1e-6 + 0 * given.tolerance)",
        "nearly equal groups stay",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/filters/successes.ts`,
    [`${LEARNING}/filters/filters.test.ts`],
    [
      [
        "success-longest-first",
        "lengths: all.map(({ trajectory }) => sampledTokens(trajectory)) },",
        "lengths: all.map(({ trajectory }) => -sampledTokens(trajectory)) },",
        "the longest success is kept",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/filters/student-failures.ts`,
    [`${LEARNING}/filters/filters.test.ts`],
    [
      [
        "student-fail-keeps-mastered",
        `return mastered.has(taskOf(rewarded)) ? "student-can" : null;`,
        "return mastered.has(taskOf(rewarded)) ? null : null;",
        "what the student can is taught",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/filters/step-choice.ts`,
    [`${LEARNING}/filters/filters.test.ts`],
    [
      [
        "step-mask-inverted",
        "withTurns(rewarded, (i) => keeps(turnOf(rewarded, i), rewarded.trajectory)),",
        "withTurns(rewarded, (i) => !keeps(turnOf(rewarded, i), rewarded.trajectory)),",
        "the failed turns are learned",
      ],
      [
        "entropy-steps-keeps-all",
        "withTurns(rewarded, (i) => wanted[i] === true)",
        "withTurns(rewarded, (i) => wanted[i] !== undefined)",
        "sure turns are learned too",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/filters/long-tail.ts`,
    [`${LEARNING}/filters/filters.test.ts`],
    [
      [
        "long-tail-weighs-nothing",
        "Float64Array.from(row, (w) => w * weight)",
        "Float64Array.from(row, (w) => w + 0 * weight)",
        "long trajectories weigh as short ones",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/filters/value-gap-pairs.ts`,
    [`${LEARNING}/filters/filters.test.ts`],
    [
      [
        "pair-gap-across-tasks",
        "all.map(({ task }) => task),\n      margin,",
        `all.map(() => ""),
      margin,`,
        "trajectories of different tasks are paired",
      ],
      [
        "pair-gap-swapped",
        "[idOf(all[chosen]), idOf(all[rejected])] as const",
        "[idOf(all[rejected]), idOf(all[chosen])] as const",
        "the worse one is chosen",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/filters/pass-rate-band.ts`,
    [`${LEARNING}/filters/filters.test.ts`],
    [
      [
        "band-forgets",
        `state: { "task-stats": observed }`,
        `state: { "task-stats": (observed, undefined) }`,
        "pass rates are not remembered",
      ],
    ],
  ),
];
