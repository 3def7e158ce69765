/** Seeded random numbers. They depend only on their seeds, so a resumed run needs no saved state. */

/** A generator of numbers in [0, 1). Equal seeds give equal sequences. */
export function seededRandom(...seeds: readonly number[]): () => number {
  let state = 0x9e3779b9;
  for (const seed of seeds) state = mix((state ^ Math.trunc(seed)) + 0x6d2b79f5);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    return (mix(state) >>> 0) / 2 ** 32;
  };
}

/** An unsigned 32-bit seed derived from other seeds. */
export function derivedSeed(...seeds: readonly number[]): number {
  return Math.floor(seededRandom(...seeds)() * 2 ** 32);
}

function mix(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) | 0;
}
