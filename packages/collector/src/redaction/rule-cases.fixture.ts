/**
 * Tests of single rules: each is applied alone, so that a broken one names itself. Which rule wins where several match is tested
 * with the redactor.
 */
import { describe, expect, test } from "vitest";
import type { DetectionRule } from "./rule.ts";

/** Texts for one rule. */
export type RuleCases = {
  /** What the rule is for. */
  readonly rule: string;
  /** Texts with one value between `<` and `>`, which the rule finds. */
  readonly found: readonly string[];
  /** Texts in which the rule finds nothing: near misses and boundaries. */
  readonly kept: readonly string[];
};

/** The first value that the rule finds, as the redactor applies it; `null` for none. */
function firstFound(rule: DetectionRule, text: string): string | null {
  for (const match of text.matchAll(rule.pattern)) {
    const span = rule.locate(text, match);
    if (span !== null && span[1] > span[0]) return text.slice(...span);
  }
  return null;
}

/** One test of each text. The cases are in the order of the rules, and each rule has some. */
export function testRules(
  name: string,
  rules: readonly DetectionRule[],
  all: readonly RuleCases[],
): void {
  describe(`${name}, each alone`, () => {
    test("each rule has texts that it finds something in, and texts that it keeps", () => {
      expect(all).toHaveLength(rules.length);
      expect(all.filter(({ found, kept }) => found.length < 2 || kept.length < 2)).toEqual([]);
    });
    describe.each(all.map((cases, index) => ({ ...cases, index })))(
      "$rule",
      ({ index, found, kept }) => {
        test.each(found)("finds %s", (marked) => {
          const value = /<([^>]*)>/u.exec(marked)?.[1] ?? "";
          const text = marked.replaceAll(/[<>]/gu, "");
          expect(firstFound(rules[index] as DetectionRule, text)).toBe(value);
        });
        test.each(kept)("keeps %s", (text) => {
          expect(firstFound(rules[index] as DetectionRule, text)).toBeNull();
        });
      },
    );
  });
}
