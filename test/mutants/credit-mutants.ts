/** Mistakes in how advantages are credited. */
import { type Mutant, mutantsOf } from "./mutant.ts";

const LEARNING = "packages/learning/src";

export const CREDIT_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    `${LEARNING}/advantages/state-groups.ts`,
    [`${LEARNING}/advantages/advantage-parts.test.ts`],
    [
      [
        "gigpo-ignores-states",
        "steps: rewarded.trajectory.turns.map(({ state }, i) => ({\n              state,",
        "steps: rewarded.trajectory.turns.map((_, i) => ({\n              state: String(i),",
        "turns are grouped by place and not by state",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/turn-returns.ts`,
    [`${LEARNING}/advantages/advantage-parts.test.ts`],
    [
      [
        "turn-ignores-options",
        "turnAdvantages(trajectories.map(turnRewards), chosen)",
        `turnAdvantages(trajectories.map(turnRewards), { ...chosen, scale: "none" })`,
        "turns are not normalized",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/step-mix.ts`,
    [`${LEARNING}/advantages/advantage-parts.test.ts`],
    [
      [
        "mix-ignores-paid-turns",
        "reward.turnRewards?.[i] ?? turn.reward ?? 0",
        "0 * (reward.turnRewards?.[i] ?? turn.reward ?? 0)",
        "process rewards have no effect",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/like-observations.ts`,
    [`${LEARNING}/advantages/advantage-parts.test.ts`],
    [
      [
        "cluster-of-everything",
        "clustersOf(states, sequenceSimilarity, threshold)",
        "clustersOf(states, sequenceSimilarity, 0 * threshold)",
        "all turns are alike",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/trajectory-tree.ts`,
    [`${LEARNING}/advantages/advantage-parts.test.ts`],
    [
      [
        "branch-hangs-on-nothing",
        "      trajectory.branch === null || from === 0\n        ? null\n        : segmentId(trajectory.branch.trajectory, from - 1);",
        "      null;",
        "shared turns are credited with one trajectory alone",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/batch-normalized.ts`,
    [`${LEARNING}/advantages/advantage-parts.test.ts`],
    [
      [
        "batch-counts-given-tokens",
        ".filter(({ t }) => mask[t] === true)",
        ".filter(({ t }) => mask.length >= t)",
        "given tokens are in the mean and get an advantage",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/entropy-weighted.ts`,
    [`${LEARNING}/advantages/advantage-parts.test.ts`],
    [
      [
        "entropy-w-without-entropies",
        "row.set(segment.entropies, start);",
        "row.set(segment.entropies.map(() => 0), start);",
        "all tokens are as sure",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/leave-one-out.ts`,
    [`${LEARNING}/advantages/advantage-parts.test.ts`],
    [
      [
        "loo-with-itself",
        "(sum - own * reward) / (all - own)",
        "sum / all",
        "a trajectory is in its own baseline",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/length-weighted-baseline.ts`,
    [`${LEARNING}/advantages/advantage-parts.test.ts`],
    [
      [
        "opo-without-lengths",
        "trajectories.map(({ trajectory }) => sampledTokens(trajectory)),",
        "trajectories.map(({ trajectory }) => 1 + 0 * sampledTokens(trajectory)),",
        "lengths have no weight",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/pass-at-k.ts`,
    [`${LEARNING}/advantages/advantage-parts.test.ts`],
    [
      [
        "pass-at-one",
        "passAtKAdvantages(rewards, k)",
        "passAtKAdvantages(rewards, k - k + 1)",
        "k has no effect",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/split-channels.ts`,
    [`${LEARNING}/advantages/advantage-parts.test.ts`],
    [
      [
        "split-pays-for-cost",
        `component("cost").map((cost) => -cost)`,
        `component("cost").map((cost) => cost)`,
        "expensive trajectories are preferred",
      ],
      [
        "split-cost-among-all",
        "among: trajectories.map(({ trajectory }) => trajectory.verification.success),",
        "among: trajectories.map(() => true),",
        "cheap failures are paid",
      ],
      [
        "split-cost-unweighed",
        "weight: costWeight,",
        "weight: 1 + 0 * costWeight,",
        "cost counts as much as the outcome",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/per-agent.ts`,
    [`${LEARNING}/advantages/advantage-parts.test.ts`],
    [
      [
        "per-agent-of-all",
        "byRoles(groups, (ofRole) => groupRelativeAdvantages(ofRole, scaled)),",
        "byRewards(groups, (ofRole) => groupRelativeAdvantages(ofRole, scaled)),",
        "roles share a baseline",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/set-advantages.ts`,
    [`${LEARNING}/advantages/advantage-parts.test.ts`],
    [
      [
        "set-without-kinds",
        "setAdvantages(rewards, trajectories.map(kindOf), { size, random })",
        "setAdvantages(rewards, trajectories.map((one) => one.trajectory.id), { size, random })",
        "copies count as diverse",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/duration-weighted.ts`,
    [`${LEARNING}/advantages/advantage-parts.test.ts`],
    [
      [
        "duration-of-equals",
        "1000 * secondsOf(rewarded, turn)",
        "1000 + 0 * secondsOf(rewarded, turn)",
        "slow turns weigh as quick ones",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/credit.ts`,
    [`${LEARNING}/advantages/advantage-parts.test.ts`],
    [
      [
        "credit-on-given-tokens",
        "(counts ? advantage : 0)",
        "(counts ? advantage : advantage)",
        "prompts are credited",
      ],
      [
        "turn-credit-on-given-tokens",
        "if (mask?.[t] === true && row !== undefined)",
        "if (row !== undefined)",
        "masked tokens of a turn are credited",
      ],
      [
        "rest-of-reward-lost",
        "(paid[last] as number) + reward.total - paid.reduce((sum, r) => sum + r, 0)",
        "(paid[last] as number) + 0 * (reward.total - paid.reduce((sum, r) => sum + r, 0))",
        "an outcome that no turn was paid is lost",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/generalized-advantages.ts`,
    [
      `${LEARNING}/advantages/advantage-parts.test.ts`,
      `${LEARNING}/advantages/critic-credit.test.ts`,
    ],
    [
      [
        "gae-always-bootstraps",
        "wasCutOff(trajectory) ? finalValue : 0",
        "wasCutOff(trajectory) ? finalValue : finalValue",
        "an end is worth the critic's word",
      ],
      [
        "gae-never-bootstraps",
        "return wasCutOff(trajectory) ? finalValue : 0;",
        "return wasCutOff(trajectory) ? 0 * finalValue : 0;",
        "a cut rollout is worth nothing more",
      ],
      [
        "gae-never-whitened",
        "if (!whitened) return advantages;",
        "if (!whitened || whitened) return advantages;",
        "a critic that is off by a constant pushes everything",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/moving-baseline.ts`,
    [
      `${LEARNING}/advantages/advantage-parts.test.ts`,
      `${LEARNING}/advantages/critic-credit.test.ts`,
    ],
    [
      [
        "rae-does-not-move",
        "state: { baseline },",
        "state: {},",
        "the moving average stays where it began",
      ],
    ],
  ),
  ...mutantsOf(
    `${LEARNING}/advantages/recalibrated.ts`,
    [
      `${LEARNING}/advantages/advantage-parts.test.ts`,
      `${LEARNING}/advantages/critic-credit.test.ts`,
    ],
    [
      [
        "recal-by-prior",
        "values[task] ?? prior",
        "0 * (values[task] ?? 0) + prior",
        "what a task earns is not looked at",
      ],
    ],
  ),
];
