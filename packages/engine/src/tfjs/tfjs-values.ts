/** Values of tokens in the device's layout: the H heads of every position, `[N·H]`. */
import type { Microbatch } from "../batch/microbatch.ts";
import type { AskedToken } from "../batch/packed-tree.ts";

/** Writes `[N·H]` values to the sequences that asked for them, as `[T·H]` each. */
export function scatterValues(
  microbatch: Microbatch,
  heads: number,
  all: Float32Array,
  into: readonly Float32Array[],
): void {
  forEachValue(microbatch, heads, (place, { sequence, token }) => {
    into[sequence]?.set(all.subarray(...place), token * heads);
  });
}

/** `[N·H]` sum of the derivatives of each value over all tokens that ask for it. */
export function valueFactors(
  microbatch: Microbatch,
  heads: number,
  derivatives: readonly Float32Array[] | undefined,
): Float32Array {
  const factors = new Float32Array(microbatch.ids.length * heads);
  forEachValue(microbatch, heads, ([from], { sequence, token }) => {
    for (let head = 0; head < heads; head++) {
      const value = derivatives?.[sequence]?.[token * heads + head] ?? 0;
      factors[from + head] = (factors[from + head] as number) + value;
    }
  });
  return factors;
}

/** @param each called with the source and target range of a token's values in `[N·H]`. */
function forEachValue(
  { values, rows }: Microbatch,
  heads: number,
  each: (place: readonly [number, number], token: AskedToken) => void,
): void {
  values?.asked.forEach((askers, i) => {
    const from = (rows[values.rows[i] as number] as number) * heads;
    for (const asker of askers) each([from, from + heads], asker);
  });
}
