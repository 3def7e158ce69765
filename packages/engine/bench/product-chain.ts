/** Chains of equal matrix products, for measuring a provider's best throughput. */

export const PRODUCT_SIZES = [256, 512, 768, 1024, 1536, 2048] as const;

/** About 8 GFLOP a chain, so that start-up time is negligible. */
export function chainLength(size: number): number {
  return Math.max(1, Math.round(8e9 / (2 * size ** 3)));
}
