/**
 * `gae` and `gae-step`: exponentially weighted sums of temporal-difference errors. Time passes over
 * what the policy sampled only: observation tokens carry the advantage and the next value through, so
 * several turns give the numbers of their action tokens put end to end.
 *
 * Source: Schulman et al. 2016, "High-Dimensional Continuous Control Using GAE", arXiv:1506.02438.
 * `gae-step`, one value a turn: Zhou et al. 2024, "ArCHer", and VL-DAC.
 */
import { WaggleError } from "@waggle/protocol";
import { requireSameLength } from "../statistics.ts";

export type GaeOptions = {
  /** γ in [0, 1], per sampled token (per turn for `turnGae`). */
  readonly discount: number;
  /** λ in [0, 1]: 0 is the one-step error, 1 the return minus the value. */
  readonly lambda: number;
  /**
   * Value of the state after the last token. 0 where the trajectory was judged as it ended; the critic's
   * value where something outside cut it: truncation bootstraps, termination does not. Default 0.
   */
  readonly bootstrap?: number;
};

export type GaeResult = {
  /** `[T]`, 0 where nothing was sampled. */
  readonly advantages: Float64Array;
  /** `[T]` advantage + value: what the critic is fitted to, 0 where nothing was sampled. */
  readonly returns: Float64Array;
};

/**
 * Token-level advantages of one trajectory.
 *
 * @param rewards - `[T]`; a reward must lie on a sampled token.
 * @param values - `[T]` value before each token, in reward units; read on sampled tokens only.
 * @throws WaggleError `INVALID_ARGUMENT` for a reward on a token that was not sampled: it would be lost.
 */
export function generalizedAdvantages(
  rewards: ArrayLike<number>,
  values: ArrayLike<number>,
  sampled: readonly boolean[],
  options: GaeOptions,
): GaeResult {
  requireSameLength("rewards", rewards.length, "sampled", sampled.length);
  requireSameLength("values", values.length, "sampled", sampled.length);
  const advantages = new Float64Array(sampled.length);
  const returns = new Float64Array(sampled.length);
  let nextValue = options.bootstrap ?? 0;
  let nextAdvantage = 0;
  for (let t = sampled.length - 1; t >= 0; t -= 1) {
    const reward = rewards[t] as number;
    if (!sampled[t]) {
      if (reward !== 0) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `a reward must lie on a sampled token, got ${reward} on token ${t}, which was given; put it on the last sampled token of its turn`,
        );
      }
      continue;
    }
    const value = values[t] as number;
    const error = reward + options.discount * nextValue - value;
    nextAdvantage = error + options.discount * options.lambda * nextAdvantage;
    nextValue = value;
    advantages[t] = nextAdvantage;
    returns[t] = nextAdvantage + value;
  }
  return { advantages, returns };
}

/**
 * One value and one advantage a turn: the critic is asked once a turn, and every token of the turn is
 * credited alike.
 *
 * @param rewards - `[turns]`
 * @param values - `[turns]` value of the state in which each turn began.
 */
export function turnGae(
  rewards: readonly number[],
  values: readonly number[],
  options: GaeOptions,
): GaeResult {
  return generalizedAdvantages(
    rewards,
    values,
    rewards.map(() => true),
    options,
  );
}
