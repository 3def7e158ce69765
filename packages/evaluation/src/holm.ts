/**
 * Corrects the p-values of several claims, so that the chance of any false claim stays at the level.
 *
 * Source: Holm 1979, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
 * Statistics 6(2).
 */

/** @returns adjusted p-values in the given order. A claim holds if its adjusted p is at most the level. */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((_, i) => i).sort((a, b) => (pValues[a] ?? 1) - (pValues[b] ?? 1));
  const adjusted = Array.from(pValues, () => 1);
  let largest = 0;
  for (const [rank, i] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (pValues.length - rank) * (pValues[i] ?? 1)));
    adjusted[i] = largest;
  }
  return adjusted;
}
