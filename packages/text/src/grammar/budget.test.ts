/**
 * Compares masks and budgets with a reference implementation that lists all texts of a small grammar: a token
 * is allowed if a text continues with it and can be completed with the remaining tokens.
 */
import { seededRandom } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleSize } from "../../../../test/fixtures/long.ts";
import { compile, idsOf, sample, STOP } from "./grammar.fixture.ts";

const WORDS = ["ab", "abc", "bb", "ca", "cab", "bcab", "aa"];
/** Id of the first word of the fixture's tokenizer. */
const FIRST_WORD = 258;
const LETTERS = ["a", "b", "c"];
const letterId = (letter: string) => 2 + BYTE_ORDER.indexOf(letter.charCodeAt(0));
/** The tokenizer lists the bytes in ascending order. */
const BYTE_ORDER = Array.from({ length: 256 }, (_, byte) => byte);
const TOKENS: readonly (readonly [string, number])[] = [
  ...LETTERS.map((letter) => [letter, letterId(letter)] as const),
  ...WORDS.map((word, at) => [word, FIRST_WORD + at] as const),
];

type Tree =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "sequence"; readonly of: readonly Tree[] }
  | { readonly kind: "choice"; readonly of: readonly Tree[] }
  | { readonly kind: "repeat"; readonly of: Tree; readonly min: number; readonly max: number };

const { tree } = fc.letrec<{ tree: Tree; text: Tree }>((tie) => ({
  text: fc.record({
    kind: fc.constant("text" as const),
    text: fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 4 }),
  }),
  tree: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    tie("text"),
    fc
      .tuple(fc.boolean(), fc.array(tie("tree"), { minLength: 1, maxLength: 3 }))
      .map(([isChoice, of]): Tree => ({ kind: isChoice ? "choice" : "sequence", of })),
    fc
      .tuple(tie("tree"), fc.nat(2), fc.nat(1))
      .map(([of, min, more]) => ({ kind: "repeat" as const, of, min, max: min + more })),
  ),
}));

function write(node: Tree): string {
  if (node.kind === "text") return JSON.stringify(node.text);
  if (node.kind === "sequence") return `(${node.of.map(write).join(" ")})`;
  if (node.kind === "choice") return `(${node.of.map(write).join(" | ")})`;
  return `(${write(node.of)}){${node.min},${node.max}}`;
}

/** All texts of a grammar. */
function texts(node: Tree): Set<string> {
  if (node.kind === "text") return new Set([node.text]);
  if (node.kind === "choice") return new Set(node.of.flatMap((part) => [...texts(part)]));
  const join = (parts: readonly Set<string>[]) =>
    parts.reduce(
      (all, part) => new Set([...all].flatMap((head) => Array.from(part, (tail) => head + tail))),
      new Set([""]),
    );
  if (node.kind === "sequence") return join(node.of.map(texts));
  const one = texts(node.of);
  const counts = Array.from({ length: node.max - node.min + 1 }, (_, i) => node.min + i);
  return new Set(counts.flatMap((n) => [...join(Array.from({ length: n }, () => one))]));
}

function fewestTokens(text: string): number {
  const counts = [0];
  for (let end = 1; end <= text.length; end++) {
    const fitting = TOKENS.filter(([token]) => text.slice(0, end).endsWith(token));
    counts.push(
      Math.min(...fitting.map(([token]) => 1 + (counts[end - token.length] ?? Infinity))),
    );
  }
  return counts[text.length] as number;
}

function plainMask(language: ReadonlySet<string>, said: string, remaining: number): number[] {
  const needs = (prefix: string) =>
    Math.min(
      ...Array.from(language, (text) =>
        text.startsWith(prefix) ? fewestTokens(text.slice(prefix.length)) + 1 : Infinity,
      ),
    );
  const ids = TOKENS.filter(([token]) => needs(said + token) <= remaining - 1).map(([, id]) => id);
  return [...(language.has(said) && remaining >= 1 ? [STOP] : []), ...ids].sort((a, b) => a - b);
}

test("a mask allows exactly the tokens after which a completion fits the budget, at every step", async () => {
  const spell = new Map(TOKENS.map(([text, id]) => [id, text]));
  await fc.assert(
    fc.asyncProperty(tree, fc.nat(3), fc.integer(), async (root, spare, seed) => {
      const language = texts(root);
      fc.pre(language.size < 400);
      const grammar = await compile({ kind: "ebnf", grammar: `root ::= ${write(root)}` }, WORDS);
      const shortest = Math.min(...Array.from(language, fewestTokens)) + 1;
      expect(() => grammar.createMatcher().nextMask(shortest - 1)).toThrow(
        shortest === 1 ? /at least 1 / : new RegExp(`at least ${shortest} `),
      );
      const random = seededRandom(seed);
      const matcher = grammar.createMatcher();
      let said = "";
      for (let left = shortest + spare; ; left--) {
        const allowed = idsOf(matcher.nextMask(left));
        expect(allowed).toEqual(plainMask(language, said, left));
        const id = allowed[Math.floor(random() * allowed.length)] as number;
        matcher.accept(id);
        if (id === STOP) break;
        said += spell.get(id);
      }
      expect(language).toContain(said);
      expect(matcher.isComplete).toBe(true);
    }),
    { numRuns: sampleSize(60, 300) },
  );
});

test("unlimited nesting closes within any budget that fits the shortest text", async () => {
  const grammar = await compile({ kind: "json" }, ["[[", "]]", "{}", '":', '{"']);
  for (let seed = 0; seed < 60; seed++) {
    const ids = sample(grammar, 2 + (seed % 40), seededRandom(seed));
    expect(ids.length).toBeLessThan(2 + (seed % 40));
  }
});

test("control: steps with an ample budget can leave too little to close", async () => {
  const grammar = await compile({ kind: "json" });
  const matcher = grammar.createMatcher();
  const open = letterId("[");
  for (let depth = 0; depth < 5; depth++) {
    expect(idsOf(matcher.nextMask(1000))).toContain(open);
    matcher.accept(open);
  }
  // Five brackets and the stop token are needed.
  expect(idsOf(matcher.nextMask(6))).toEqual([letterId("]")]);
  expect(() => matcher.nextMask(5)).toThrow(/at least 6 more tokens .* 5 remain; raise/);
});
