/**
 * The random numbers of sampling: a small generator whose integers are the same on every platform.
 * Not for secrets.
 *
 * Source: Chris Doty-Humphrey, PractRand, sfc32 ("small fast chaotic" with a counter).
 */

/**
 * A generator of numbers uniform in [0, 1) with 53 random bits.
 *
 * @param seed - unsigned 32-bit integer; equal seeds give equal sequences.
 */
export function createRandom(seed: number): () => number {
  let a = 0;
  let b = seed | 0;
  let c = 0;
  let counter = 1;

  const next = (): number => {
    const out = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + out) | 0;
    return out >>> 0;
  };
  // One round moves few bits of the seed; 15 are what the author runs before the first output.
  for (let round = 0; round < 15; round++) next();

  return () => {
    const high = next() >>> 5;
    const low = next() >>> 6;
    return (high * 67_108_864 + low) / 9_007_199_254_740_992;
  };
}
