/**
 * `long-tail`: more weight for rollouts that are long.
 *
 * Source: DR-Venus (weight for long-horizon runs).
 */
import { meanOf } from "../statistics.ts";

/** `[N]` (length / mean length)^power, scaled to a mean of 1; power 0 weighs all alike. */
export function horizonWeights(lengths: readonly number[], power: number): number[] {
  const raw = lengths.map((length) => length ** power);
  const mean = meanOf(raw);
  return raw.map((weight) => (mean === 0 ? 1 : weight / mean));
}
