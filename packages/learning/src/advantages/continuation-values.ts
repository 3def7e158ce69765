/**
 * `mc`: the value of a step is the mean outcome of N continuations from a snapshot of it. No critic is
 * trained; environment steps pay for it.
 *
 * Source: Xiong et al. 2024, "Watch Every Step!" (IPR), arXiv:2406.11176; Kazemnejad et al.
 * 2024, "VinePPO", arXiv:2410.01679 (advantage from values before and after a step).
 */
import { WaggleError } from "@waggle/protocol";
import { meanOf, requireFiniteRewards, requireSameLength } from "../statistics.ts";

/**
 * `[snapshots]` mean outcome of the continuations of each.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for a snapshot without a continuation.
 */
export function continuationValues(outcomes: readonly (readonly number[])[]): number[] {
  return outcomes.map((row, t) => {
    if (row.length === 0) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a snapshot must have at least one continuation, got none at step ${t}; roll out or drop the step`,
      );
    }
    requireFiniteRewards(row);
    return meanOf(row);
  });
}

/**
 * `[steps]` r_t + γ · V(s_{t+1}) − V(s_t); after the last step the outcome itself is known and V is 0.
 *
 * @param rewards - `[steps]`, the outcome on the last.
 * @param values - `[steps]` of the state before each step.
 */
export function continuationAdvantages(
  rewards: readonly number[],
  values: readonly number[],
  discount: number = 1,
): number[] {
  requireSameLength("values", values.length, "rewards", rewards.length);
  return rewards.map((reward, t) => reward + discount * (values[t + 1] ?? 0) - values[t]!);
}
