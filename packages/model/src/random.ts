/** Seeded random numbers for initial weights. Not for sampling tokens and not for secrets. */

export type Random = {
  /** Uniform in [0, 1). */
  uniform(): number;
  /** Standard normal. */
  normal(): number;
};

/** The same seed gives the same numbers on every platform. */
export function seededRandom(seed: number): Random {
  // Weyl sequence with a 32-bit finalizer (splitmix32): plenty for initial weights.
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const uniform = (): number => next() / 2 ** 32;
  return {
    uniform,
    // Box and Muller 1958; 1 - u keeps the logarithm finite.
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  };
}
