/** What a list of numbers comes to, for reports. */
import { WaggleError } from "@waggle/protocol";

function requireSome(values: readonly number[]): void {
  if (values.length > 0) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    "a summary needs at least one number, got none; leave it out",
  );
}

/** @throws WaggleError `INVALID_ARGUMENT` without numbers. */
export function mean(values: readonly number[]): number {
  requireSome(values);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * The value below which a share `q` in [0, 1] lies, interpolated between neighbors (numpy's
 * default).
 * @throws WaggleError `INVALID_ARGUMENT` without numbers or for `q` outside [0, 1].
 */
export function quantile(values: readonly number[], q: number): number {
  requireSome(values);
  if (!(q >= 0 && q <= 1)) {
    throw new WaggleError("INVALID_ARGUMENT", `q must lie in [0, 1], got ${q}; pass a share`);
  }
  const sorted = [...values].sort((a, b) => a - b);
  const position = q * (sorted.length - 1);
  const below = sorted[Math.floor(position)] as number;
  const above = sorted[Math.ceil(position)] as number;
  return below + (above - below) * (position - Math.floor(position));
}

/** @throws WaggleError `INVALID_ARGUMENT` without numbers. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
