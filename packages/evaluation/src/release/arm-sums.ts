/**
 * What a comparison of two arms needs to know about one of them: sums over its visitors. A visitor gives
 * one value per request, for example 1 for a solved request. The values of one visitor are correlated, so
 * the sums keep how much values vary between visitors. They can be updated one value at a time.
 */
import { WaggleError } from "@waggle/protocol";

/** Sums over the visitors of an arm. Visitor v has given n_v values whose sum is y_v. */
export type ArmSums = {
  /** Visitors who gave at least one value. */
  readonly visitors: number;
  /** Σ n_v. */
  readonly values: number;
  /** Σ y_v; values are in [0, 1]. */
  readonly total: number;
  /** Σ n_v². */
  readonly squaredValues: number;
  /** Σ n_v y_v. */
  readonly products: number;
  /** Σ y_v². */
  readonly squaredTotals: number;
};

/** The values that one visitor has given so far. */
export type VisitorSums = { readonly values: number; readonly total: number };

/** Limits the influence of one visitor. Later values are not counted. */
export const MAX_VALUES_PER_VISITOR = 10;

/** An arm without visitors. */
export const EMPTY_ARM: ArmSums = {
  visitors: 0,
  values: 0,
  total: 0,
  squaredValues: 0,
  products: 0,
  squaredTotals: 0,
};

/**
 * The arm after one more value of a visitor; the same arm if the visitor has given enough values.
 *
 * @param visitor - the visitor's counted values before this one.
 * @param value - in [0, 1].
 * @throws WaggleError `INVALID_ARGUMENT` for another value.
 */
export function withValue(arm: ArmSums, visitor: VisitorSums, value: number): ArmSums {
  if (!(value >= 0 && value <= 1)) {
    throw new WaggleError("INVALID_ARGUMENT", `a visitor's value must be in [0, 1], got ${value}`);
  }
  const { values: n, total: y } = visitor;
  if (n >= MAX_VALUES_PER_VISITOR) return arm;
  return {
    visitors: arm.visitors + (n === 0 ? 1 : 0),
    values: arm.values + 1,
    total: arm.total + value,
    squaredValues: arm.squaredValues + 2 * n + 1,
    products: arm.products + y + (n + 1) * value,
    squaredTotals: arm.squaredTotals + value * (2 * y + value),
  };
}

/** Rounding of sums of fractions. */
const SLACK = 1e-6;

/**
 * @param name - of the arm, for the message.
 * @throws WaggleError `INVALID_ARGUMENT` for sums that no visitors can have.
 */
export function requireArmSums(arm: ArmSums, name: string): void {
  const { visitors, values, total, squaredValues, products, squaredTotals } = arm;
  const counts = [visitors, values, squaredValues];
  const most = (1 + SLACK) * MAX_VALUES_PER_VISITOR;
  const areConsistent =
    counts.every((count) => Number.isSafeInteger(count) && count >= 0) &&
    isWithin(total, values) &&
    isWithin(products, squaredValues) &&
    isWithin(squaredTotals, products) &&
    values >= visitors &&
    squaredValues >= values &&
    squaredValues <= most * values &&
    // Cauchy's inequality, for values and for sums.
    values ** 2 <= visitors * squaredValues &&
    products ** 2 <= squaredValues * squaredTotals * (1 + SLACK) + SLACK;
  if (areConsistent) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `the sums of ${name} contradict each other: ${JSON.stringify(arm).slice(0, 256)}; build them with withValue`,
  );
}

function isWithin(value: number, most: number): boolean {
  return value >= 0 && value <= most * (1 + SLACK) + SLACK;
}
