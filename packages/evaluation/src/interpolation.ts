/** Linear interpolation of a measured curve. */
import { WaggleError } from "@waggle/protocol";

/** A measurement of a curve. */
export type CurvePoint = { readonly x: number; readonly y: number };

/**
 * The curve's value at `x`: linear between neighboring points, constant before the first and after the
 * last.
 *
 * @param points - in any order.
 * @throws WaggleError `INVALID_ARGUMENT` without points.
 */
export function interpolated(points: readonly CurvePoint[], x: number): number {
  const sorted = points.toSorted((a, b) => a.x - b.x);
  const next = sorted.findIndex((point) => point.x >= x);
  const to = sorted.at(next);
  if (to === undefined) {
    throw new WaggleError("INVALID_ARGUMENT", "a curve without points cannot be interpolated");
  }
  // With no point at or after x, `to` is the last one.
  if (next <= 0) return to.y;
  const from = sorted[next - 1] as CurvePoint;
  return from.y + ((x - from.x) / (to.x - from.x)) * (to.y - from.y);
}
