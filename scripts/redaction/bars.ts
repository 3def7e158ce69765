import type { RedactionMeasure, Share } from "./measure.ts";

const STRUCTURED = ["email", "phone", "card", "iban", "national-id", "api-key", "password"];

/** Shares that a detector has to reach. Names that nothing introduces (`name-bare`) have no bar. */
const BARS = { structured: 0.98, name: 0.9, address: 0.9, precision: 0.95 };

/** The shares with a bar, and those below it. */
type Verdict = {
  readonly shares: { readonly [name in keyof typeof BARS]: number };
  /** `name 0.88, at least 0.9`. */
  readonly failed: readonly string[];
};

/** Compares a measure with the bars. The structured kinds count together. Nothing planted counts as 1. */
export function verdict({ recall, precision }: RedactionMeasure): Verdict {
  const shareOf = (kinds: readonly string[]): number => {
    const shares = kinds.flatMap((kind) => recall.get(kind) ?? []);
    return share({
      right: shares.reduce((total, { right }) => total + right, 0),
      of: shares.reduce((total, { of }) => total + of, 0),
    });
  };
  const shares = {
    structured: shareOf(STRUCTURED),
    name: shareOf(["name"]),
    address: shareOf(["address"]),
    precision: share(precision),
  };
  const failed = Object.entries(BARS).flatMap(([name, bar]) => {
    const reached = shares[name as keyof typeof BARS];
    return reached < bar ? [`${name} ${reached.toFixed(3)}, at least ${bar}`] : [];
  });
  return { shares, failed };
}

/** A share as a number from 0 to 1; 1 of nothing. */
export const share = ({ right, of }: Share): number => (of === 0 ? 1 : right / of);
