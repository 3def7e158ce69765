/**
 * Decimal numbers between bounds, digit by digit. Without bounds they have at most 15 digits before and after the
 * point, so that a double represents them exactly enough to read them back.
 */
import { WaggleError } from "@waggle/protocol";
import type { JsonSchema } from "@waggle/protocol";
import type { Expression, Expressions } from "./expression.ts";

/** Inclusive bounds; `null` = unbounded. */
type WholeBounds = { readonly low: bigint | null; readonly high: bigint | null };

/** Bounds as JSON Schema keywords. */
type NumberBounds = {
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly exclusiveMaximum?: number | undefined;
};

/** The bounds of a schema. In draft 4 and OpenAPI 3.0, `exclusiveMinimum: true` makes `minimum` exclusive. */
function boundsOf(schema: JsonSchema): NumberBounds {
  const [low, high] = [finite(schema["minimum"]), finite(schema["maximum"])];
  const isLowOut = schema["exclusiveMinimum"] === true;
  const isHighOut = schema["exclusiveMaximum"] === true;
  return {
    minimum: isLowOut ? undefined : low,
    maximum: isHighOut ? undefined : high,
    exclusiveMinimum: isLowOut ? low : finite(schema["exclusiveMinimum"]),
    exclusiveMaximum: isHighOut ? high : finite(schema["exclusiveMaximum"]),
  };
}

function finite(bound: unknown): number | undefined {
  return typeof bound === "number" && Number.isFinite(bound) ? bound : undefined;
}

const LARGEST = 10n ** 15n - 1n;
/** Digits after the point, unless the bounds need more. */
const FRACTION_DIGITS = 2;

const digits = (e: Expressions, low = 0, high = 9): Expression =>
  e.symbols([0x30 + low, 0x30 + high]);

/** Maximum number of multiples that are listed one by one. */
const MAX_MULTIPLES = 1000n;

/** The numbers of a schema. Multiples without bounds, or of a fraction, are not enforced. */
export function schemaNumber(e: Expressions, schema: JsonSchema, isWhole: boolean): Expression {
  const bounds = boundsOf(schema);
  const step = schema["multipleOf"];
  const isStepped = typeof step === "number" && !(step === 1 && isWhole);
  const multiples = isStepped ? multiplesWithin(e, step, bounds) : null;
  if (multiples !== null) return multiples;
  if (isWhole || Number.isInteger(step)) return wholeNumber(e, scaledBounds(bounds, 0));
  const decimal = decimalNumber(e, bounds);
  // Bounds that are closer than the digits that are written.
  return decimal === e.never && hasRoom(bounds) ? decimalNumber(e, {}) : decimal;
}

function hasRoom({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: NumberBounds): boolean {
  const low = Math.max(minimum ?? -Infinity, exclusiveMinimum ?? -Infinity);
  return low < Math.min(maximum ?? Infinity, exclusiveMaximum ?? Infinity);
}

/** Null unless they are few whole numbers between two bounds. */
function multiplesWithin(e: Expressions, step: number, bounds: NumberBounds): Expression | null {
  const { low, high } = scaledBounds(bounds, 0);
  if (!Number.isInteger(step) || step <= 0 || low === null || high === null) return null;
  const by = BigInt(step);
  const first = (low < 0n ? low / by : (low + by - 1n) / by) * by;
  if ((high - first) / by > MAX_MULTIPLES) return null;
  const values: Expression[] = [];
  for (let value = first; value <= high; value += by) values.push(e.literal(String(value)));
  return e.alternatives(values);
}

/** Whole numbers within the bounds. */
function wholeNumber(e: Expressions, bounds: WholeBounds): Expression {
  const { low, high } = withLimits(bounds, LARGEST);
  const parts: Expression[] = [];
  if (high >= 0n) parts.push(natural(e, low < 0n ? 0n : low, high));
  if (low < 0n) {
    const last = high < 0n ? -high : 1n;
    parts.push(e.sequence(e.literal("-"), natural(e, last, -low)));
  }
  return low > high ? e.never : e.alternatives(parts);
}

/** Both bounds. A number beyond the largest has as many digits as the bound that asks for it. */
function withLimits({ low, high }: WholeBounds, largest: bigint): { low: bigint; high: bigint } {
  const nearest =
    low !== null && low > largest ? low : high !== null && high < -largest ? -high : 0n;
  const limit = nearest === 0n ? largest : 10n ** BigInt(String(nearest).length) - 1n;
  return {
    low: low === null || low < -limit ? -limit : low,
    high: high === null || high > limit ? limit : high,
  };
}

/** Numbers with or without a fraction. Exponents are allowed only without bounds. */
export function decimalNumber(e: Expressions, bounds: NumberBounds): Expression {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = bounds;
  const given = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].filter(
    (bound) => bound !== undefined,
  );
  if (given.length === 0) return unbounded(e);
  const places = Math.max(FRACTION_DIGITS, ...given.map(fractionDigits).map((n) => n + 1));
  const parts: Expression[] = [wholeNumber(e, scaledBounds(bounds, 0))];
  for (let count = 1; count <= places; count++) {
    parts.push(fractional(e, scaledBounds(bounds, count), count));
  }
  return e.alternatives(parts);
}

/** Bounds of the whole numbers n for which `n / 10^places` is within the bounds. */
function scaledBounds(bounds: NumberBounds, places: number): WholeBounds {
  const floor = (bound: number) => scaledFloor(bound, places);
  const ceil = (bound: number) => -scaledFloor(-bound, places);
  const lows = [
    bounds.minimum === undefined ? null : ceil(bounds.minimum),
    bounds.exclusiveMinimum === undefined ? null : floor(bounds.exclusiveMinimum) + 1n,
  ].filter((low) => low !== null);
  const highs = [
    bounds.maximum === undefined ? null : floor(bounds.maximum),
    bounds.exclusiveMaximum === undefined ? null : ceil(bounds.exclusiveMaximum) - 1n,
  ].filter((high) => high !== null);
  return {
    low: lows.length === 0 ? null : lows.reduce((a, b) => (a > b ? a : b)),
    high: highs.length === 0 ? null : highs.reduce((a, b) => (a < b ? a : b)),
  };
}

function unbounded(e: Expressions): Expression {
  const exponent = e.sequence(
    e.symbols([0x45, 0x45, 0x65, 0x65]),
    e.optional(e.symbols([0x2b, 0x2b, 0x2d, 0x2d])),
    e.repeat(digits(e), 1, 2),
  );
  const fraction = e.sequence(e.literal("."), e.repeat(digits(e), 1, 15));
  return e.sequence(
    e.optional(e.literal("-")),
    natural(e, 0n, LARGEST),
    e.optional(fraction),
    e.optional(exponent),
  );
}

/** `n / 10^places`, written with all its places. */
function fractional(e: Expressions, bounds: WholeBounds, places: number): Expression {
  const unit = 10n ** BigInt(places);
  const { low: from, high: to } = withLimits(bounds, LARGEST * unit);
  const parts: Expression[] = [];
  if (to >= 0n && from <= to) parts.push(positive(e, from < 0n ? 0n : from, to, places, unit));
  const last = to < 0n ? -to : 1n;
  if (from < 0n && last <= -from) {
    parts.push(e.sequence(e.literal("-"), positive(e, last, -from, places, unit)));
  }
  return e.alternatives(parts);
}

function positive(
  e: Expressions,
  from: bigint,
  to: bigint,
  places: number,
  unit: bigint,
): Expression {
  const first = from / unit;
  const last = to / unit;
  const fraction = (low: bigint, high: bigint) =>
    e.sequence(
      e.literal("."),
      fixedWidth(e, String(low).padStart(places, "0"), String(high).padStart(places, "0")),
    );
  if (first === last) return e.sequence(e.literal(String(first)), fraction(from % unit, to % unit));
  const parts = [
    e.sequence(e.literal(String(first)), fraction(from % unit, unit - 1n)),
    e.sequence(e.literal(String(last)), fraction(0n, to % unit)),
  ];
  if (last - first > 1n) {
    parts.push(e.sequence(natural(e, first + 1n, last - 1n), fraction(0n, unit - 1n)));
  }
  return e.alternatives(parts);
}

/** Non-negative whole numbers without leading zeros. */
function natural(e: Expressions, low: bigint, high: bigint): Expression {
  const parts: Expression[] = [];
  for (let width = String(low).length; width <= String(high).length; width++) {
    const smallest = width === 1 ? 0n : 10n ** BigInt(width - 1);
    const largest = 10n ** BigInt(width) - 1n;
    const from = low > smallest ? low : smallest;
    const to = high < largest ? high : largest;
    parts.push(fixedWidth(e, String(from), String(to)));
  }
  return e.alternatives(parts);
}

/** Digit strings between two strings of equal length. */
function fixedWidth(e: Expressions, low: string, high: string): Expression {
  if (low === "") return e.empty;
  const first = Number(low[0]);
  const last = Number(high[0]);
  const [lowRest, highRest] = [low.slice(1), high.slice(1)];
  const [zeros, nines] = ["0".repeat(lowRest.length), "9".repeat(lowRest.length)];
  if (lowRest === zeros && highRest === nines) {
    return e.sequence(digits(e, first, last), e.repeat(digits(e), zeros.length, zeros.length));
  }
  if (first === last) {
    return e.sequence(digits(e, first, first), fixedWidth(e, lowRest, highRest));
  }
  const parts = [
    e.sequence(digits(e, first, first), fixedWidth(e, lowRest, nines)),
    e.sequence(digits(e, last, last), fixedWidth(e, zeros, highRest)),
  ];
  if (last - first > 1) {
    const free = e.repeat(digits(e), zeros.length, zeros.length);
    parts.push(e.sequence(digits(e, first + 1, last - 1), free));
  }
  return e.alternatives(parts);
}

/** ⌊bound · 10^places⌋, computed from the shortest decimal form of the double. */
function scaledFloor(bound: number, places: number): bigint {
  const [mantissa = "0", exponent = "0"] = bound.toExponential().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const value = BigInt(whole + fraction);
  const shift = Number(exponent) - fraction.length + places;
  if (shift >= 0) return value * 10n ** BigInt(shift);
  const unit = 10n ** BigInt(-shift);
  const quotient = value / unit;
  return value < 0n && value % unit !== 0n ? quotient - 1n : quotient;
}

function fractionDigits(bound: number): number {
  if (!Number.isFinite(bound)) {
    throw new WaggleError("INVALID_ARGUMENT", `a bound must be a finite number, got ${bound}`);
  }
  const [mantissa = "0", exponent = "0"] = bound.toExponential().split("e");
  const places = (mantissa.split(".")[1] ?? "").length - Number(exponent);
  return Math.min(Math.max(0, places), 12);
}
