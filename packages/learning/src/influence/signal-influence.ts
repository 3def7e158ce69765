/**
 * What each signal contributes to a minibatch: a verifier, or kinds of visitors' feedback. The influence of a trajectory is
 * divided by the shares of its signals in the reward; the share of a correction comes from the estimator.
 */
import type { PlannedMinibatch } from "../composition/minibatch.ts";
import type { RewardedGroup } from "../composition/part.ts";

/** What one signal contributed. */
export type SignalInfluence = {
  readonly signal: string;
  /** Trajectories that have the signal. */
  readonly trajectories: number;
  /** Sum over their tokens of the token's share of the loss, its weight and the absolute advantage. */
  readonly weight: number;
};

/** The signal of a trajectory that a verifier judged. */
const VERIFIER = { verifier: 1 };

/**
 * One entry per signal of these groups, the heaviest first. The weights sum to the influence of all trajectories.
 *
 * @param estimated - what the estimator found; without advantages, a token counts by its share of the loss and its weight alone.
 */
export function signalInfluence(
  groups: readonly RewardedGroup[],
  minibatch: Pick<PlannedMinibatch, "rows" | "shares" | "weights" | "advantages">,
  estimated: {
    readonly advantages?: unknown;
    readonly ofCorrection?: ReadonlyMap<string, number> | undefined;
  },
): SignalInfluence[] {
  const trajectories = groups.flatMap((group) => group.trajectories.map((one) => one.trajectory));
  const influence = influenceById(minibatch, estimated.advantages !== undefined);
  const found = new Map<string, SignalInfluence>();
  for (const { id, verification } of trajectories) {
    const corrected = estimated.ofCorrection?.get(id) ?? 0;
    const shares = Object.entries(verification.signals ?? VERIFIER).map(
      ([signal, share]) => [signal, (1 - corrected) * share] as const,
    );
    if (corrected > 0) shares.push(["correction", corrected]);
    for (const [signal, share] of shares) {
      const earlier = found.get(signal) ?? { trajectories: 0, weight: 0 };
      found.set(signal, {
        signal,
        trajectories: earlier.trajectories + 1,
        weight: earlier.weight + share * (influence.get(id) ?? 0),
      });
    }
  }
  return [...found.values()].toSorted((a, b) => b.weight - a.weight);
}

/** By trajectory id: the sum over its tokens of the share of the loss times the weight, and the absolute advantage if any. */
function influenceById(
  {
    rows,
    shares,
    weights,
    advantages,
  }: Pick<PlannedMinibatch, "rows" | "shares" | "weights" | "advantages">,
  hasAdvantages: boolean,
): Map<string, number> {
  const influence = new Map<string, number>();
  for (const [b, { rewarded }] of rows.entries()) {
    const { id } = rewarded.trajectory;
    const ofTokens = Array.from(shares[b] ?? [], (share, t) => {
      const weighed = share * (weights[b]?.[t] ?? 0);
      return hasAdvantages ? weighed * Math.abs(advantages[b]?.[t] ?? 0) : weighed;
    });
    influence.set(
      id,
      ofTokens.reduce((sum, value) => sum + value, influence.get(id) ?? 0),
    );
  }
  return influence;
}
