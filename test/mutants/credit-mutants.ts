/** Mistakes in how advantages, rewards and filters are put together. */
import { type Mutant, mutantsOf } from "./mutant.ts";

const PARTS = "packages/learning/src/parts";
const ADVANTAGES = [`${PARTS}/advantage-parts.test.ts`];
const REWARDS = [`${PARTS}/rewards.test.ts`];
const FILTERS = [`${PARTS}/filters.test.ts`];

export const CREDIT_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(`${PARTS}/step-advantages.ts`, ADVANTAGES, [
    [
      "gigpo-ignores-states",
      "steps: scored.trajectory.turns.map(({ state }, i) => ({\n              state,",
      "steps: scored.trajectory.turns.map((_, i) => ({\n              state: String(i),",
      "turns are grouped by place and not by state",
    ],
    [
      "turn-ignores-options",
      "turnAdvantages(trajectories.map(turnRewards), options)",
      'turnAdvantages(trajectories.map(turnRewards), { ...options, scale: "none" })',
      "turns are not normalized",
    ],
    [
      "mix-ignores-paid-turns",
      "score.turnRewards?.[i] ?? reward ?? 0",
      "0 * (score.turnRewards?.[i] ?? reward ?? 0)",
      "process rewards have no effect",
    ],
    [
      "cluster-of-everything",
      "clustersOf(states, sequenceSimilarity, threshold)",
      "clustersOf(states, sequenceSimilarity, 0 * threshold)",
      "all turns are alike",
    ],
    [
      "branch-hangs-on-nothing",
      "      trajectory.branch === null || from === 0\n        ? null\n        : segmentId(trajectory.branch.trajectory, from - 1);",
      "      null;",
      "shared turns are credited with one trajectory alone",
    ],
    [
      "batch-counts-given-tokens",
      ".filter(({ t }) => mask[t] === true)",
      ".filter(({ t }) => mask.length >= t)",
      "given tokens are in the mean and get an advantage",
    ],
    [
      "entropy-w-without-entropies",
      "row.set(segment.entropies, start);",
      "row.set(segment.entropies.map(() => 0), start);",
      "all tokens are as sure",
    ],
  ]),
  ...mutantsOf(`${PARTS}/group-advantages.ts`, ADVANTAGES, [
    [
      "loo-with-itself",
      "byRewards(groups, leaveOneOutAdvantages)",
      "byRewards(groups, (rewards) => groupRelativeAdvantages(rewards))",
      "a trajectory is in its own baseline",
    ],
    [
      "opo-without-lengths",
      "trajectories.map(({ trajectory }) => sampledTokens(trajectory)),",
      "trajectories.map(({ trajectory }) => 1 + 0 * sampledTokens(trajectory)),",
      "lengths have no weight",
    ],
    [
      "pass-at-one",
      "passAtKAdvantages(rewards, k)",
      "passAtKAdvantages(rewards, k - k + 1)",
      "k has no effect",
    ],
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
    [
      "per-agent-of-all",
      "byRoles(groups, (ofRole) => groupRelativeAdvantages(ofRole, scaled)),",
      "byRewards(groups, (ofRole) => groupRelativeAdvantages(ofRole, scaled)),",
      "roles share a baseline",
    ],
    [
      "set-without-kinds",
      "setAdvantages(rewards, trajectories.map(kindOf), { size, random })",
      "setAdvantages(rewards, trajectories.map((one) => one.trajectory.id), { size, random })",
      "copies count as diverse",
    ],
    [
      "duration-of-equals",
      "1000 * secondsOf(scored, turn)",
      "1000 + 0 * secondsOf(scored, turn)",
      "slow turns weigh as quick ones",
    ],
  ]),
  ...mutantsOf(`${PARTS}/credit.ts`, ADVANTAGES, [
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
      "(paid[last] as number) + score.reward - paid.reduce((sum, r) => sum + r, 0)",
      "(paid[last] as number) + 0 * (score.reward - paid.reduce((sum, r) => sum + r, 0))",
      "an outcome that no turn was paid is lost",
    ],
  ]),
  ...mutantsOf(
    `${PARTS}/baseline-advantages.ts`,
    [...ADVANTAGES, `${PARTS}/critic-credit.test.ts`],
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
      [
        "rae-does-not-move",
        'state: { baseline },\n      };\n    },\n    { needs: ["baseline"] },\n  );\n}\n\n/** `reinforce++`',
        'state: {},\n      };\n    },\n    { needs: ["baseline"] },\n  );\n}\n\n/** `reinforce++`',
        "the moving average stays where it began",
      ],
      [
        "recal-by-prior",
        "values[task] ?? prior",
        "0 * (values[task] ?? 0) + prior",
        "what a task earns is not looked at",
      ],
    ],
  ),
  ...mutantsOf(`${PARTS}/rewards.ts`, REWARDS, [
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
      "scores.reduce((sum, { turnRewards }) => sum + (turnRewards?.[t] ?? 0), 0)",
      "turns are paid without weights",
    ],
    [
      "bonus-does-not-fade",
      "weight * Math.max(0, 1 - step / steps)",
      "weight * Math.max(0, 1 - (0 * step) / steps)",
      "calls are paid to the end",
    ],
    [
      "team-pays-all",
      "trajectories.filter((other) => other.joint === joint)",
      "trajectories.filter((other) => other.joint === joint || other)",
      "joint rollouts share their rewards",
    ],
    [
      "economy-without-prices",
      "economyReward(trajectory.verification, cost, how)",
      "economyReward(trajectory.verification, 0 * cost, how)",
      "calls cost nothing",
    ],
  ]),
  ...mutantsOf(`${PARTS}/learned-rewards.ts`, REWARDS, [
    [
      "rm-first-word",
      "const last = turns.at(-1) ?? 0;",
      "const last = turns.at(0) ?? 0;",
      "the reward is what the model said first",
    ],
    [
      "process-without-outcome",
      "calibratedByOutcome(reward, scores, spread)",
      "calibratedByOutcome(0 * reward, scores, spread)",
      "steps of failures are worth those of successes",
    ],
  ]),
  ...mutantsOf(`${PARTS}/process-rewards.ts`, REWARDS, [
    [
      "multi-dim-unweighed",
      "entries.map(([, { weight }]) => weight),",
      "entries.map(() => 1),",
      "dimensions weigh alike",
    ],
  ]),
  ...mutantsOf(`${PARTS}/filters.ts`, FILTERS, [
    [
      "mixed-group-without-tolerance",
      "mixedGroups(all.map(rewardsOf), given.tolerance)",
      "mixedGroups(all.map(rewardsOf), 1e-6 + 0 * given.tolerance)",
      "nearly equal groups stay",
    ],
    [
      "success-longest-first",
      "lengths: all.map(({ trajectory }) => sampledTokens(trajectory)) },",
      "lengths: all.map(({ trajectory }) => -sampledTokens(trajectory)) },",
      "the longest success is kept",
    ],
    [
      "student-fail-keeps-mastered",
      `return mastered.has(taskOf(scored)) ? "student-can" : null;`,
      `return mastered.has(taskOf(scored)) ? null : null;`,
      "what the student can is taught",
    ],
    [
      "step-mask-inverted",
      "withTurns(scored, (i) => keeps(turnOf(scored, i), scored.trajectory)),",
      "withTurns(scored, (i) => !keeps(turnOf(scored, i), scored.trajectory)),",
      "the failed turns are learned",
    ],
    [
      "entropy-steps-keeps-all",
      "withTurns(scored, (i) => wanted[i] === true)",
      "withTurns(scored, (i) => wanted[i] !== undefined)",
      "sure turns are learned too",
    ],
    [
      "long-tail-weighs-nothing",
      "Float64Array.from(row, (w) => w * weight)",
      "Float64Array.from(row, (w) => w + 0 * weight)",
      "long trajectories weigh as short ones",
    ],
    [
      "pair-gap-across-tasks",
      "all.map(({ task }) => task),\n      margin,",
      'all.map(() => ""),\n      margin,',
      "trajectories of different tasks are paired",
    ],
    [
      "pair-gap-swapped",
      "[idOf(all[chosen]), idOf(all[rejected])] as const",
      "[idOf(all[rejected]), idOf(all[chosen])] as const",
      "the worse one is chosen",
    ],
    [
      "band-forgets",
      `state: { "task-stats": observed }`,
      `state: { "task-stats": (observed, undefined) }`,
      "pass rates are not remembered",
    ],
  ]),
];
