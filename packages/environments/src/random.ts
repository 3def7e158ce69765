/**
 * Seeded randomness for tasks. Implemented here because tasks depend on the exact numbers: a new version of
 * a library must not change a task. Not for cryptography.
 *
 * Source: mulberry32 (Tommy Ettinger, public domain) and FNV-1a.
 */

/** A stream of numbers in [0, 1). */
export type RandomSource = () => number;

/** FNV-1a over UTF-16 code units, an unsigned 32-bit integer. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** A stream that depends only on the seed. */
export function createRandom(seed: number): RandomSource {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** One entry of a non-empty list, all equally likely. */
export function pick<T>(random: RandomSource, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}
