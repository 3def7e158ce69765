/**
 * `branch-entropy`: the probability of forking a rollout after a tool result, which grows as the policy
 * becomes less certain than at its start. The number of leaves is limited.
 *
 * Source: Dong et al. 2025, ARPO, arXiv:2507.19849 (branch where α + β·ΔH passes a threshold); AEPO,
 * arXiv:2510.14545 (a penalty on branching in a row).
 * Differs from them: the rule is one value, α + β·ΔH is a probability and is drawn, and the penalty
 * falls linearly to 0 over `mostInARow` branches.
 */
import { seededRandom, type Trajectory } from "@waggle/protocol";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { definePart, option } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import type { RolloutStrategy } from "../composition/rollout-strategy.ts";
import { group } from "./plain-rollouts.ts";
import { many, rolloutPart } from "./rollout-part.ts";
import { startingAt } from "./stored-choice.ts";

/**
 * Number of tokens after the start of a turn over which entropy measures the policy's uncertainty.
 */
const ENTROPY_TOKENS = 8;

export type BranchRule = {
  /** Probability at ΔH = 0. */
  readonly base: number;
  /** Increase per unit of ΔH. */
  readonly slope: number;
  /** Logarithm of the vocabulary size. ΔH is divided by it, which makes models comparable. */
  readonly mostEntropy: number;
  /** Number of consecutive branches at which the probability reaches 0. */
  readonly mostInARow: number;
};

/**
 * Probability of a fork at this turn, in [0, 1].
 *
 * @param entropy - entropy of this turn's first tokens in nats; `startEntropy` is that of the first turn.
 * @param inARow - number of turns directly before this one, on this path, that were forked.
 */
export function branchProbability(
  rule: BranchRule,
  entropy: number,
  startEntropy: number,
  inARow: number,
): number {
  const change = (entropy - startEntropy) / rule.mostEntropy;
  const penalty = Math.min(1, inARow / rule.mostInARow);
  return Math.max(0, Math.min(1, (rule.base + rule.slope * change) * (1 - penalty)));
}

type BranchOptions = {
  /** Complete trajectories of each task. */
  readonly whole: number;
  /** Trajectories of each task, with the branches. */
  readonly size: number;
  /**
   * Whether to branch at this turn; called for every turn after a tool result.
   *
   * @param entropies - `[turns]` mean entropy of the first sampled tokens of each turn so far, in nats
   */
  readonly branchAt: (
    entropies: readonly number[],
    branchesInARow: number,
    random: () => number,
  ) => boolean;
};

/** Complete trajectories first, then branches of them, until the group is full. */
function branchStrategy({ whole, size, branchAt }: BranchOptions): RolloutStrategy {
  return {
    name: "branch",
    options: { whole, size },
    overlaps: true,
    rollOut: (driver) =>
      driver.byTask(async (task, at) => {
        const trajectories: JudgedTrajectory[] = await many(Math.min(whole, size), (i) =>
          driver.rollOut(task, [at, i]),
        );
        const random = seededRandom(driver.seed, at, 0xb4a);
        let inARow = 0;
        for (const root of trajectories.slice()) {
          const entropies = turnEntropies(root.record);
          for (let turn = 1; turn < entropies.length && trajectories.length < size; turn += 1) {
            if (!branchAt(entropies.slice(0, turn + 1), inARow, random)) {
              inARow = 0;
              continue;
            }
            inARow += 1;
            const place = [at, trajectories.length];
            trajectories.push(await driver.rollOut(task, place, startingAt(root, turn)));
          }
        }
        // If no turn is left to branch at, complete trajectories fill the group.
        while (trajectories.length < size) {
          trajectories.push(await driver.rollOut(task, [at, trajectories.length]));
        }
        return trajectories;
      }),
  };
}

/** `[turns]` mean entropy of the first tokens of each turn, in nats. */
function turnEntropies({ turns, segments }: Trajectory): number[] {
  return turns.map(({ segmentId }) => {
    const segment = segments.find(({ id }) => id === segmentId);
    const first = segment?.kind === "sampled" ? segment.entropies.slice(0, ENTROPY_TOKENS) : [];
    return first.reduce((sum, entropy) => sum + entropy, 0) / Math.max(1, first.length);
  });
}

/**
 * `branch-entropy`: `whole` trajectories, and forks of them after tool results that made the policy less
 * certain, with `size` leaves in total. Defaults: 4 of 8.
 */
export function branchEntropy(
  size?: number,
  whole?: number,
  rule: Partial<BranchRule> = {},
): RolloutPart<never, "group"> {
  return definePart(
    {
      groupSize: option(size, 8),
      whole: option(whole, 4),
      branchBase: option(rule.base, 0.2),
      branchSlope: option(rule.slope, 2),
      branchEntropyScale: option(rule.mostEntropy, Math.log(384)),
      branchesInARow: option(rule.mostInARow, 2),
    },
    ({ groupSize: size, whole, branchBase, branchSlope, branchEntropyScale, branchesInARow }) => {
      const probability: BranchRule = {
        base: branchBase,
        slope: branchSlope,
        mostEntropy: branchEntropyScale,
        mostInARow: branchesInARow,
      };
      const strategy = branchStrategy({
        whole,
        size,
        branchAt: (entropies, inARow, random) => {
          const [start = 0] = entropies;
          return (
            random() < branchProbability(probability, entropies.at(-1) ?? start, start, inARow)
          );
        },
      });
      return {
        ...rolloutPart("branch-entropy", "group", strategy),
        readsEntropies: true,
        around: [group(whole)],
      };
    },
  );
}

/**
 * `branch-vine`: forks at any turn, with equal probability, until there are `size` trajectories, of which
 * `whole` start from the beginning. Defaults: 8 and 2.
 *
 * Source: Schulman et al. 2015, "TRPO" (vine), arXiv:1502.05477.
 */
export function branchVine(size?: number, whole?: number): RolloutPart<never, "group"> {
  return definePart(
    {
      groupSize: option(size, 8),
      whole: option(whole, 2),
      forkProbability: option(undefined, 0.5),
    },
    ({ groupSize: size, whole, forkProbability }) => {
      const branchAt: BranchOptions["branchAt"] = (_, __, random) => random() < forkProbability;
      const strategy = branchStrategy({ whole, size, branchAt });
      return { ...rolloutPart("branch-vine", "group", strategy), around: [group(whole)] };
    },
  );
}
