/**
 * Every seeded random generator and hash of this repository. None is for cryptography.
 *
 * New code takes `seededRandom`. The others stay because stored data depends on their exact sequences;
 * each says which. They are written out, and not taken from a library, so that no upgrade can change what a
 * seed means.
 *
 * Source: MurmurHash3's 32-bit finalizer (Appleby 2011), mulberry32 (Ettinger 2017), sfc32 (Doty-Humphrey,
 * PractRand), splitmix32 (Steele et al. 2014, finalizer by Wellons), FNV-1a (Fowler, Noll, Vo) and
 * Box and Muller 1958. All in the public domain.
 */

/** A stream of numbers, uniform in [0, 1). */
export type RandomSource = () => number;

/** What states and seeds advance by: an odd constant, so that all 2³² states are visited. */
const WEYL_STEP = 0x6d2b79f5;
/** 2³² divided by the golden ratio. */
const GOLDEN = 0x9e3779b9;

/**
 * The generator for new code: a Weyl sequence through `mixBits`. Equal seeds give equal streams. Seeded by
 * run, step and purpose, it has no state to save, and a resumed run draws the same numbers.
 */
export function seededRandom(...seeds: readonly number[]): RandomSource {
  let state = GOLDEN;
  for (const seed of seeds) state = mixBits((state ^ Math.trunc(seed)) + WEYL_STEP);
  return mixedSequence(state);
}

/** An unsigned 32-bit seed derived from others. */
export function derivedSeed(...seeds: readonly number[]): number {
  return Math.floor(seededRandom(...seeds)() * 2 ** 32);
}

/**
 * A stream for a seed and a name. Its seeding differs from `seededRandom` because evolution strategies
 * store perturbations of a model as seeds and rebuild each tensor's noise by its name.
 */
export function namedRandom(seed: number, name: string): RandomSource {
  let state = mixBits(Math.trunc(seed) ^ GOLDEN);
  for (const char of name) state = mixBits(state ^ (char.codePointAt(0) ?? 0));
  return mixedSequence(state);
}

/**
 * An unsigned 32-bit seed for part `index` of something seeded by `seed`: a turn of a trajectory, a request
 * of a conversation. Stored trajectories are replayed with the seeds it gives.
 */
export function spanSeed(seed: number, index: number): number {
  return mixBits(mixBits(seed) ^ Math.imul(index + 1, GOLDEN));
}

/** mulberry32. Tasks of the environments are defined by its sequence: `{ split, seed }` names a task. */
export function mulberry32(seed: number): RandomSource {
  let state = seed >>> 0;
  return () => {
    state = (state + WEYL_STEP) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** splitmix32. Initial weights of models and adapters are drawn from it, and their hashes are published. */
export function splitmix32(seed: number): RandomSource {
  let state = seed | 0;
  return () => {
    state = (state + GOLDEN) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/**
 * sfc32 ("small fast chaotic" with a counter), 53 random bits in each number. Tokens are sampled with it:
 * 32 bits would never reach the rarest tokens of a large vocabulary.
 *
 * @param seed - unsigned 32-bit integer
 */
export function sfc32(seed: number): RandomSource {
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
  // One round moves few bits of the seed; the author runs 15 before the first output.
  for (let round = 0; round < 15; round++) next();

  return () => {
    const high = next() >>> 5;
    const low = next() >>> 6;
    return (high * 67_108_864 + low) / 9_007_199_254_740_992;
  };
}

/** A standard normal number; takes two of `random`. */
export function standardNormal(random: RandomSource): number {
  // 1 - u keeps the logarithm finite.
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** FNV-1a over UTF-16 code units: an unsigned 32-bit integer. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** The same number in [0, 1) for the same text. Similar texts give unrelated numbers. */
export function textFraction(text: string): number {
  return mixBits(hashText(text)) / 2 ** 32;
}

function mixedSequence(start: number): RandomSource {
  let state = start | 0;
  return () => {
    state = (state + WEYL_STEP) | 0;
    return mixBits(state) / 2 ** 32;
  };
}

/** A bijection of unsigned 32-bit integers in which every input bit reaches every output bit. */
function mixBits(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
