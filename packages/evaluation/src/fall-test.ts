/**
 * A sequential test for a fall: is the mean of a bounded quantity lower now than it was before? It may be
 * checked after every observation without raising the false-alarm rate.
 *
 * The i-th later unit is paired with the i-th earlier one, and capital is bet on the difference. Without a
 * fall the capital is a supermartingale, so the chance that it ever reaches 1/α is at most α.
 *
 * Source: Waudby-Smith & Ramdas 2024, "Estimating means of bounded random variables by betting", Journal
 * of the Royal Statistical Society B 86(1), section 4; Ville 1939 for the bound.
 * Differs from it: the capital is split over fixed bets instead of one bet that adapts.
 */
import { WaggleError } from "@waggle/protocol";

/** Stakes as shares of the largest stake that cannot lose all capital. */
const STAKES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98];

/** Result of the test. */
export type FallTest = {
  /** Number of pairs until the alarm, or of all pairs. */
  readonly pairs: number;
  /** Mean of the earlier units in those pairs. */
  readonly before: number;
  /** Mean of the later units in those pairs. */
  readonly now: number;
  readonly hasFallen: boolean;
};

/**
 * Tests whether the mean has fallen by more than the tolerance.
 *
 * @param before - `[n]` in [0, 1], in order of observation. Units must be independent.
 * @param now - `[m]` likewise. The longer list is cut.
 * @param options.tolerance - fall of the mean that is ignored, in [0, 1].
 * @param options.falseAlarm - upper bound on the chance of ever raising a false alarm.
 */
export function fallTest(
  before: readonly number[],
  now: readonly number[],
  { tolerance, falseAlarm }: { readonly tolerance: number; readonly falseAlarm: number },
): FallTest {
  const length = Math.min(before.length, now.length);
  const capitals = STAKES.map(() => 1 / STAKES.length);
  let [sumBefore, sumNow] = [0, 0];
  for (let i = 0; i < length; i += 1) {
    const [earlier, later] = [inUnit(before[i]), inUnit(now[i])];
    sumBefore += earlier;
    sumNow += later;
    const gain = (earlier - later - tolerance) / (1 + tolerance);
    for (const [k, stake] of STAKES.entries()) {
      capitals[k] = (capitals[k] as number) * (1 + stake * gain);
    }
    const pairs = i + 1;
    if (sum(capitals) >= 1 / falseAlarm) {
      return { pairs, before: sumBefore / pairs, now: sumNow / pairs, hasFallen: true };
    }
  }
  const pairs = Math.max(1, length);
  return { pairs: length, before: sumBefore / pairs, now: sumNow / pairs, hasFallen: false };
}

function inUnit(value: number | undefined): number {
  if (value !== undefined && value >= 0 && value <= 1) return value;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `the units of a fall test must be between 0 and 1, got ${value}`,
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0);
}
