/**
 * Sets of Unicode characters as expressions over UTF-8 bytes, without surrogates. Splitting into byte ranges
 * follows Russ Cox's utf8 ranges: one sequence of byte ranges for each run of code points with the same length
 * and leading bytes.
 */
import type { Expression, Expressions } from "./expression.ts";

const LAST = 0x10_ffff;
/** Last code point of each encoded length. */
const LENGTH_ENDS = [0x7f, 0x7ff, 0xffff, LAST];

/** Inclusive ranges of code points `[low, high, low, high, …]`, in any order. */
export type CharacterRanges = readonly number[];

/** All code points. */
export const ANY_CHARACTER: CharacterRanges = [0, LAST];

/** One character from the set. */
export function character(e: Expressions, ranges: CharacterRanges): Expression {
  const parts: Expression[] = [];
  for (const [low, high] of pairs(intersect(ranges, [0, 0xd7ff, 0xe000, LAST]))) {
    split(e, low, high, parts);
  }
  // One-byte characters are merged into one set.
  const single: number[] = [];
  const rest = parts.filter((part) => {
    const node = e.node(part);
    if (node.kind === "symbols") single.push(...node.ranges);
    return node.kind !== "symbols";
  });
  return e.alternatives([e.symbols(single), ...rest]);
}

/** Every character that is not in the set. */
export function complement(ranges: CharacterRanges): CharacterRanges {
  const result: number[] = [];
  let next = 0;
  for (const [low, high] of sortedPairs(ranges)) {
    if (low > next) result.push(next, low - 1);
    next = Math.max(next, high + 1);
  }
  if (next <= LAST) result.push(next, LAST);
  return result;
}

/** Characters in both sets. */
export function intersect(a: CharacterRanges, b: CharacterRanges): CharacterRanges {
  const result: number[] = [];
  for (const [low, high] of sortedPairs(a)) {
    for (const [otherLow, otherHigh] of sortedPairs(b)) {
      const from = Math.max(low, otherLow);
      const to = Math.min(high, otherHigh);
      if (from <= to) result.push(from, to);
    }
  }
  return result;
}

function pairs(ranges: CharacterRanges): [number, number][] {
  const result: [number, number][] = [];
  for (let i = 0; i + 1 < ranges.length; i += 2) {
    result.push([ranges[i] as number, ranges[i + 1] as number]);
  }
  return result;
}

const sortedPairs = (ranges: CharacterRanges) => pairs(ranges).sort((a, b) => a[0] - b[0]);

function split(e: Expressions, low: number, high: number, parts: Expression[]): void {
  for (const end of LENGTH_ENDS) {
    if (low <= end && end < high) {
      split(e, low, end, parts);
      split(e, end + 1, high, parts);
      return;
    }
  }
  // Where an earlier byte varies, continuation bytes must cover their whole range.
  for (let bits = 6; bits <= 18; bits += 6) {
    const mask = (1 << bits) - 1;
    if (high <= 0x7f || (low & ~mask) === (high & ~mask)) continue;
    if ((low & mask) !== 0) {
      split(e, low, low | mask, parts);
      split(e, (low | mask) + 1, high, parts);
      return;
    }
    if ((high & mask) !== mask) {
      split(e, low, (high & ~mask) - 1, parts);
      split(e, high & ~mask, high, parts);
      return;
    }
  }
  const from = utf8(low);
  const to = utf8(high);
  parts.push(e.sequence(...from.map((byte, i) => e.symbols([byte, to[i] as number]))));
}

function utf8(code: number): number[] {
  return [...new TextEncoder().encode(String.fromCodePoint(code))];
}
