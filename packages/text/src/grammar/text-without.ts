/**
 * Text that does not contain certain strings, built from the automaton of Aho and Corasick (1975) with one rule per
 * state, over characters.
 */
import { ANY_CHARACTER, character, complement, intersect } from "./characters.ts";
import type { CharacterRanges } from "./characters.ts";
import type { Expression, Expressions } from "./expression.ts";
import { OTHER_ADDED_SYMBOL } from "./vocabulary.ts";

/** What the text consists of. */
export type TextWithoutOptions = {
  /** Allowed characters. Default: any. */
  readonly characters?: CharacterRanges;
  /** Added tokens that the text may contain, as symbols. */
  readonly symbols?: readonly number[];
};

/** Any text, including the empty one, in which none of `stops` occurs. */
export function textWithout(
  e: Expressions,
  stops: readonly string[],
  options: TextWithoutOptions = {},
): Expression {
  const { characters = ANY_CHARACTER, symbols = [] } = options;
  const prefixes = new Set([""]);
  for (const stop of stops) {
    for (let end = 1; end < stop.length; end++) prefixes.add(stop.slice(0, end));
  }
  const rules = new Map(
    [...prefixes].map((p) => [p, e.declare(`text after ${JSON.stringify(p)}`)]),
  );
  const rule = (prefix: string) => rules.get(prefix) as Expression;
  const codes = [...new Set(stops.flatMap((stop) => Array.from(stop)))];
  const others = intersect(characters, complement(codes.flatMap((c) => [code(c), code(c)])));
  const added = e.symbols(symbols.flatMap((symbol) => [symbol, symbol]));

  for (const prefix of prefixes) {
    const parts = [
      e.empty,
      e.sequence(e.alternatives([character(e, others), added]), rule("")),
      ...codes
        .filter((next) => intersect(characters, [code(next), code(next)]).length > 0)
        .filter((next) => !stops.some((stop) => (prefix + next).endsWith(stop)))
        .map((next) => e.sequence(e.literal(next), rule(longestEnd(prefix + next, prefixes)))),
    ];
    e.define(rule(prefix), e.alternatives(parts));
  }
  return rule("");
}

/** `OTHER_ADDED_SYMBOL` and all markers except the given ones. */
export function addedSymbols(
  markers: ReadonlyMap<string, number>,
  without: readonly string[],
): number[] {
  const others = [...markers].filter(([text]) => !without.includes(text));
  return [OTHER_ADDED_SYMBOL, ...others.map(([, symbol]) => symbol)];
}

const code = (text: string): number => text.codePointAt(0) as number;

function longestEnd(text: string, prefixes: ReadonlySet<string>): string {
  for (let from = 0; from < text.length; from++) {
    if (prefixes.has(text.slice(from))) return text.slice(from);
  }
  return "";
}
