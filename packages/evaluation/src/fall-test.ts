/**
 * A sequential test for a fall: whether a bounded quantity has a lower mean now than it had before. It
 * may be looked at after every observation.
 *
 * The i-th unit of now is paired with the i-th unit of before, and capital is bet on the difference.
 * Without a fall the capital is a supermartingale, so the chance that it ever reaches 1/α is at most α.
 *
 * Source: Waudby-Smith & Ramdas 2024, "Estimating means of bounded random variables by betting", Journal
 * of the Royal Statistical Society B 86(1), section 4; Ville 1939 for the bound.
 * Differs from it: the capital is split over fixed bets instead of one bet that adapts.
 */
import { WaggleError } from "@waggle/protocol";

/** Stakes as shares of the largest that cannot lose everything. */
const STAKES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98];

export type FallTest = {
  /** Pairs until the fall was certain enough, or all of them. */
  readonly pairs: number;
  /** Mean of the pairs' earlier units. */
  readonly before: number;
  /** Mean of the pairs' later units. */
  readonly now: number;
  readonly hasFallen: boolean;
};

/**
 * @param before - `[n]` in [0, 1], in the order in which they came; units must be independent.
 * @param now - `[m]` likewise; the longer list is cut.
 * @param options.tolerance - fall of the mean that counts as none, in [0, 1].
 * @param options.falseAlarm - bound on the chance of ever saying "fallen" without a fall.
 */
export function fallTest(
  before: readonly number[],
  now: readonly number[],
  { tolerance, falseAlarm }: { readonly tolerance: number; readonly falseAlarm: number },
): FallTest {
  const most = Math.min(before.length, now.length);
  const capitals = STAKES.map(() => 1 / STAKES.length);
  let [sumBefore, sumNow] = [0, 0];
  for (let i = 0; i < most; i += 1) {
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
  const pairs = Math.max(1, most);
  return { pairs: most, before: sumBefore / pairs, now: sumNow / pairs, hasFallen: false };
}

function inUnit(value: number | undefined): number {
  if (value !== undefined && value >= 0 && value <= 1) return value;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `the units of a fall test must lie between 0 and 1, but one is ${value}`,
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0);
}
