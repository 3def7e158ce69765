/**
 * `long-tail`: more rollouts, or weight, for tasks that are hard or long, within a budget.
 *
 * Source: DART (rollouts per task by difficulty), DR-Venus (weight for long-horizon runs).
 */
import { WaggleError } from "@waggle/protocol";
import { meanOf, requireInside } from "../statistics.ts";

/**
 * `[N]` rollouts of each task: `least` for all, the rest of the budget one by one where the next success
 * is least certain: (1 − pass rate) over rollouts it has. Never above `most`.
 *
 * @throws WaggleError `INVALID_ARGUMENT` where the budget does not serve `least` for all.
 */
export function rolloutsByDifficulty(
  passRates: readonly number[],
  budget: number,
  { least, most }: { readonly least: number; readonly most: number },
): number[] {
  if (budget < least * passRates.length) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a budget must hold ${least} rollouts for each of ${passRates.length} tasks, got ${budget}; raise it or take fewer tasks`,
    );
  }
  const counts = passRates.map(() => least);
  for (let left = budget - least * passRates.length; left > 0; left -= 1) {
    let next = -1;
    for (const [i, rate] of passRates.entries()) {
      requireInside("passRate", rate, 0, 1);
      if (counts[i]! >= most) continue;
      const need = (j: number): number => (1 - passRates[j]!) / (counts[j]! + 1);
      if (next < 0 || need(i) > need(next)) next = i;
    }
    if (next < 0) break;
    counts[next] = counts[next]! + 1;
  }
  return counts;
}

/** `[N]` (length / mean length)^power, scaled to a mean of 1; power 0 weighs all alike. */
export function horizonWeights(lengths: readonly number[], power: number): number[] {
  const raw = lengths.map((length) => length ** power);
  const mean = meanOf(raw);
  return raw.map((weight) => (mean === 0 ? 1 : weight / mean));
}
