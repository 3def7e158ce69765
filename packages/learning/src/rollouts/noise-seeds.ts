/**
 * `noise-seed`: perturbations of parameters as seeds with a sign. Whoever has the seed has the noise, so
 * (seed, score) is all that a page sends back.
 *
 * Source: Salimans et al. 2017, "Evolution Strategies", arXiv:1703.03864 (shared seeds, mirrored pairs).
 */
import { requireInside } from "../statistics.ts";

export type Perturbation = {
  /** Unsigned 32-bit integer. */
  readonly seed: number;
  readonly sign: 1 | -1;
};

/** `count` perturbations of one step; mirrored ones come in pairs of the same seed, so count is even. */
export function perturbations(
  count: number,
  seed: number,
  step: number,
  isMirrored: boolean = true,
): Perturbation[] {
  requireInside("count", count, 1, Number.MAX_SAFE_INTEGER);
  if (isMirrored) requireInside("count modulo 2", count % 2, 0, 0);
  const own = mixedSeed(seed, step);
  return Array.from({ length: count }, (_, i) => ({
    seed: mixedSeed(own, isMirrored ? Math.floor(i / 2) : i),
    sign: isMirrored && i % 2 === 1 ? -1 : 1,
  }));
}

/** A 32-bit seed from a seed and an index; neighbours share no bits to speak of. */
function mixedSeed(seed: number, index: number): number {
  let mixed = (seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
