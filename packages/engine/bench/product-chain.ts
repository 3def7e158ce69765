/** Products of one size in a row, for the best that a provider reaches. */

export const PRODUCT_SIZES = [256, 512, 768, 1024, 1536, 2048] as const;

/** About 8 GFLOP a chain, so that its start is lost in it. */
export function chainLength(size: number): number {
  return Math.max(1, Math.round(8e9 / (2 * size ** 3)));
}
