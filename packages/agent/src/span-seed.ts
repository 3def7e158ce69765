/** Derives seeds for the parts of a rollout or conversation. Not for cryptography. */

/**
 * An unsigned 32-bit seed for part `index` of something seeded by `seed`: turns of a rollout or
 * requests of a conversation. Neighboring seeds and indices give unrelated values.
 */
export function spanSeed(seed: number, index: number): number {
  return mix(mix(seed >>> 0) ^ Math.imul(index + 1, 0x9e3779b9));
}

/** The 32-bit finalizer of MurmurHash3 (Appleby 2011): a bijection whose every input bit reaches every output bit. */
function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
