/**
 * p-values of several claims, corrected so that the chance of any false one stays at the level.
 *
 * Source: Holm 1979, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
 * Statistics 6(2).
 */

/** @returns adjusted p-values in the order given: claims hold whose adjusted p is at most the level. */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((_, i) => i).sort((a, b) => (pValues[a] ?? 1) - (pValues[b] ?? 1));
  const adjusted = Array.from(pValues, () => 1);
  let most = 0;
  for (const [rank, i] of order.entries()) {
    most = Math.max(most, Math.min(1, (pValues.length - rank) * (pValues[i] ?? 1)));
    adjusted[i] = most;
  }
  return adjusted;
}
