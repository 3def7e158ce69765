/** Summary statistics of a list of numbers. */
import { WaggleError } from "@waggle/protocol";

function requireSome(values: readonly number[]): void {
  if (values.length > 0) return;
  throw new WaggleError("INVALID_ARGUMENT", "an empty list of numbers cannot be summarized");
}

/** Mean and standard deviation, for example of a figure over seeds. */
export type Spread = {
  readonly mean: number;
  /** Sample standard deviation (n − 1); 0 for a single value. */
  readonly deviation: number;
};

/** The arithmetic mean. @throws WaggleError `INVALID_ARGUMENT` for an empty list. */
export function mean(values: readonly number[]): number {
  requireSome(values);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * The value below which a share `q` in [0, 1] of the numbers is, interpolated between neighbors like
 * numpy's default.
 * @throws WaggleError `INVALID_ARGUMENT` for an empty list or for `q` outside [0, 1].
 */
export function quantile(values: readonly number[], q: number): number {
  requireSome(values);
  if (!(q >= 0 && q <= 1)) {
    throw new WaggleError("INVALID_ARGUMENT", `q must be in [0, 1], got ${q}`);
  }
  const sorted = [...values].sort((a, b) => a - b);
  const position = q * (sorted.length - 1);
  const below = sorted[Math.floor(position)] as number;
  const above = sorted[Math.ceil(position)] as number;
  return below + (above - below) * (position - Math.floor(position));
}

/** The 0.5 quantile. @throws WaggleError `INVALID_ARGUMENT` for an empty list. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The arithmetic mean; 0 for an empty list. */
export function meanOrZero(values: readonly number[]): number {
  return values.length === 0 ? 0 : mean(values);
}

/** Mean and sample standard deviation. @throws WaggleError `INVALID_ARGUMENT` for an empty list. */
export function spread(values: readonly number[]): Spread {
  const center = mean(values);
  return {
    mean: center,
    deviation: Math.sqrt(squaredDeviations(values, center) / Math.max(1, values.length - 1)),
  };
}

/** Standard error of the mean, from the sample deviation; 0 for fewer than two values. */
export function standardError(values: readonly number[]): number {
  if (values.length < 2) return 0;
  return Math.sqrt(squaredDeviations(values, mean(values)) / (values.length - 1) / values.length);
}

function squaredDeviations(values: readonly number[], center: number): number {
  return values.reduce((sum, value) => sum + (value - center) ** 2, 0);
}
