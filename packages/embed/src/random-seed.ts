/** Sampling seeds. */

/** A random, unpredictable unsigned 32-bit integer. */
export function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] as number;
}
