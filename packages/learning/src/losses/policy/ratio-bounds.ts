/**
 * Bounds of an importance ratio in the two conventions of the papers, told apart by name: distances from 1
 * (`lower`, `upper`) and ratios (`lowest`, `highest`).
 */

/** Distances from 1, not ratios: 0.2 and 0.28 keep ratios from 0.8 to 1.28. */
type ClipBounds = {
  /** The ratio is clipped at 1 − lower. */
  readonly lower: number;
  /** The ratio is clipped at 1 + upper. */
  readonly upper: number;
};

/** Ratios: 0.8 and 1.28 mean the same as `ClipBounds` of 0.2 and 0.28. */
export type AbsoluteBounds = {
  /** Lower clip bound of the ratio; 0 = none. */
  readonly lowest: number;
  /** Upper clip bound of the ratio; Infinity = none. */
  readonly highest: number;
};

/** Bounds in either convention. */
export type RatioBounds = ClipBounds | AbsoluteBounds;

/** Bounds of either convention as ratios. */
function absoluteBounds(bounds: RatioBounds): AbsoluteBounds {
  return "lowest" in bounds ? bounds : { lowest: 1 - bounds.lower, highest: 1 + bounds.upper };
}

/** The ratio clipped to its bounds. */
export function clippedRatio(ratio: number, bounds: RatioBounds): number {
  const { lowest, highest } = absoluteBounds(bounds);
  return Math.min(highest, Math.max(lowest, ratio));
}
