/**
 * Bounds of an importance ratio in the two conventions that papers use, told apart by their names:
 * distances from 1 (`lower`, `upper`) and ratios (`lowest`, `highest`).
 */

/** Distances from 1, not ratios: 0.2 and 0.28 keep ratios from 0.8 to 1.28. */
type ClipBounds = {
  /** The ratio is clipped at 1 − lower. */
  readonly lower: number;
  /** The ratio is clipped at 1 + upper. */
  readonly upper: number;
};

/** Ratios themselves: 0.8 and 1.28 keep what `ClipBounds` of 0.2 and 0.28 keep. */
export type AbsoluteBounds = {
  /** The ratio is clipped from below at this; 0 = not at all. */
  readonly lowest: number;
  /** The ratio is clipped from above at this; Infinity = not at all. */
  readonly highest: number;
};

export type RatioBounds = ClipBounds | AbsoluteBounds;

/** The ratios that bounds of either convention keep. */
function absoluteBounds(bounds: RatioBounds): AbsoluteBounds {
  return "lowest" in bounds ? bounds : { lowest: 1 - bounds.lower, highest: 1 + bounds.upper };
}

/** A ratio kept within bounds. */
export function clippedRatio(ratio: number, bounds: RatioBounds): number {
  const { lowest, highest } = absoluteBounds(bounds);
  return Math.min(highest, Math.max(lowest, ratio));
}
