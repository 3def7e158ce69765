/**
 * Splits a vector for products with quantized matrices: each number is a multiple of one unit, at
 * most 2^30 of them, kept as two 16-bit numbers.
 */
import { BLOCK_SIZE } from "@waggle/model";
import { SPLIT_FACTOR } from "./quantized-tiles.ts";

/** Largest multiple of the unit: its upper half, rounded, is below 2^15. */
const MOST_UNITS = (2 ** 15 - 2) * SPLIT_FACTOR;

/** The order in which a block's numbers meet its weights: with 4 bits, even ones come first. */
const ORDER: { readonly [bits in 4 | 8]: Uint8Array } = {
  8: Uint8Array.from({ length: BLOCK_SIZE }, (_, i) => i),
  4: Uint8Array.from({ length: BLOCK_SIZE }, (_, i) => ((2 * i) % BLOCK_SIZE) + (i >> 4)),
};

/**
 * @param x - whole blocks.
 * @param split - as many blocks: four times 8 upper and 8 lower numbers each.
 * @returns the unit; NaN if a number is not finite, so that the product is NaN too.
 */
export function splitVector(x: Float32Array, split: Int16Array, bits: 4 | 8): number {
  let largest = 0;
  let zero = 0;
  for (let i = 0; i < x.length; i++) {
    const value = x[i] as number;
    largest = Math.max(largest, Math.abs(value));
    zero += 0 * value;
  }
  if (zero !== 0) return Number.NaN;
  const perUnit = largest === 0 ? 0 : MOST_UNITS / largest;
  const order = ORDER[bits];
  let to = 0;
  for (let block = 0; block < x.length; block += BLOCK_SIZE) {
    for (let i = 0; i < BLOCK_SIZE; i++) {
      const units = ((x[block + (order[i] as number)] as number) * perUnit) | 0;
      const high = (units + SPLIT_FACTOR / 2) >> 15;
      split[to] = high;
      split[to + 8] = units - (high << 15);
      to += i % 8 === 7 ? 9 : 1;
    }
  }
  return largest / MOST_UNITS;
}
