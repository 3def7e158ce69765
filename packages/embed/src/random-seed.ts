/** Seeds of what this page samples. */

/** An unsigned 32-bit integer that nobody can guess. */
export function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] as number;
}
