/** Seeded draws used by several parts. `random` returns numbers in [0, 1). */
import { WaggleError } from "@waggle/protocol";
import { sumOf } from "./statistics.ts";

/**
 * `count` distinct indices, drawn one after another with probability proportional to the remaining weights;
 * fewer if fewer have a weight above 0.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for a weight that is negative or not finite.
 */
export function drawWeighted(
  weights: readonly number[],
  count: number,
  random: () => number,
): number[] {
  const bad = weights.findIndex((weight) => !(weight >= 0 && Number.isFinite(weight)));
  if (bad >= 0) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `weights[${bad}] is ${weights[bad]}; a weight must be finite and not negative`,
    );
  }
  const left = new Map([...weights.entries()].filter(([, weight]) => weight > 0));
  const drawn: number[] = [];
  while (drawn.length < count && left.size > 0) {
    let place = random() * sumOf([...left.values()]);
    let chosen = -1;
    for (const [i, weight] of left) {
      chosen = i;
      place -= weight;
      if (place < 0) break;
    }
    left.delete(chosen);
    drawn.push(chosen);
  }
  return drawn;
}

/** `count` distinct entries of a list, all equally likely; all entries if there are fewer. */
export function drawUniform<T>(items: readonly T[], count: number, random: () => number): T[] {
  return drawWeighted(
    items.map(() => 1),
    count,
    random,
  ).map((i) => items[i] as T);
}
