import { type GrammarSpec, seededRandom } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createTokenizer } from "../create-tokenizer.ts";
import type { TokenizerJson } from "../tokenizer-json.ts";
import { createGrammarCompiler } from "./compiler.ts";
import { compile, idsOf, sample, tokenizerFiles } from "./grammar.fixture.ts";

const WORDS = ["ab", "é", "日本", "12", "--"];
const tokenizer = createTokenizer({
  tokenizerJson: JSON.parse(
    new TextDecoder().decode(tokenizerFiles(WORDS).get("tokenizer.json")),
  ) as TokenizerJson,
});

async function texts(spec: GrammarSpec, count = 30): Promise<string[]> {
  const grammar = await compile(spec, WORDS);
  return Array.from({ length: count }, (_, seed) =>
    tokenizer.decode(sample(grammar, 40, seededRandom(seed))),
  );
}

/** Whether the grammar accepts a text, using single-byte tokens only. */
async function accepts(spec: GrammarSpec, text: string): Promise<boolean> {
  const matcher = (await compile(spec)).createMatcher();
  for (const byte of new TextEncoder().encode(text)) {
    if (!idsOf(matcher.nextMask(1000)).includes(2 + byte)) return false;
    matcher.accept(2 + byte);
  }
  return idsOf(matcher.nextMask(1000)).includes(0);
}

test.each([
  "[a-c]{2,4}(?:x|yz)*",
  "\\d{3}-\\d{4}",
  "(\\w+)@(\\w+)\\.(com|org)",
  "^[^a-z\\s]+?$",
  "a?b+c*|日本|é",
  "\\u00e9\\x41[\\]\\-]{2}\\.",
  "(?<year>[12]\\d{3})/(0[1-9]|1[0-2])",
])("texts sampled under /%s/ match the RegExp", async (pattern) => {
  const whole = new RegExp(`^(?:${pattern.replace(/^\^|\$$/g, "")})$`, "u");
  const found = await texts({ kind: "regex", pattern });
  for (const text of found) expect(text).toMatch(whole);
  expect(new Set(found).size).toBeGreaterThan(2);
});

test("a pattern accepts exactly the texts that RegExp accepts", async () => {
  const pattern = "(?:ab|a)(?:c{1,2}|[^bc])?";
  const grammar: GrammarSpec = { kind: "regex", pattern };
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom("a", "b", "c", "é"), maxLength: 5 }),
      async (text) => {
        expect(await accepts(grammar, text)).toBe(new RegExp(`^(?:${pattern})$`, "u").test(text));
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  ["(?=a)b", "GRAMMAR_UNSUPPORTED"],
  ["(a)\\1", "GRAMMAR_UNSUPPORTED"],
  ["\\bword", "GRAMMAR_UNSUPPORTED"],
  ["\\p{L}+", "GRAMMAR_UNSUPPORTED"],
  ["a^b", "GRAMMAR_UNSUPPORTED"],
  ["(a", "INVALID_ARGUMENT"],
  ["a)", "INVALID_ARGUMENT"],
  ["[z-a]", "INVALID_ARGUMENT"],
  ["*a", "INVALID_ARGUMENT"],
])("the pattern /%s/ is refused as %s", async (pattern, code) => {
  await expect(compile({ kind: "regex", pattern })).rejects.toMatchObject({ code });
});

test("EBNF supports rules, classes, counts, comments and escapes", async () => {
  const grammar = `
    # a list of pairs
    root ::= "(" pair ("," " "? pair){0,2} ")"   # at most three
    pair ::= name "=" value
    name ::= [a-c_]+
    value ::= "\\"" [^"\\\\\\x00-\\x1f]{0,3} "\\"" | [0-9]{2} | "\\u00e9" | root`;
  for (const text of await texts({ kind: "ebnf", grammar })) {
    expect(text).toMatch(/^\([a-c_]+=("[^"\\]{0,3}"|\d\d|é|\()/u);
  }
});

test.each([
  ["root ::= root 'a'", "INVALID_ARGUMENT"],
  ['root ::= root "a" | "b"', "GRAMMAR_UNSUPPORTED"],
  ['root ::= a "x"\na ::= b\nb ::= "" a', "GRAMMAR_UNSUPPORTED"],
  ['root ::= "a" (="b")', "GRAMMAR_UNSUPPORTED"],
  ['start ::= "a"', "INVALID_ARGUMENT"],
  ["root ::= missing", "INVALID_ARGUMENT"],
  ['root ::= ("a"', "INVALID_ARGUMENT"],
  ['root ::= "a" loop\nloop ::= "b" loop', "GRAMMAR_UNSUPPORTED"],
])("the EBNF %j is refused as %s", async (grammar, code) => {
  await expect(compile({ kind: "ebnf", grammar })).rejects.toMatchObject({ code });
});

test("grammars work with a SentencePiece vocabulary with byte fallback", async () => {
  const bytes = Array.from(
    { length: 256 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
  );
  const pieces = ["<eos>", ...bytes, "\u2581the", "\u2581", "a", "b", "\u65e5"];
  const json = {
    model: {
      type: "BPE",
      byte_fallback: true,
      vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
      merges: [],
    },
    normalizer: { type: "Replace", pattern: { String: " " }, content: "\u2581" },
    decoder: {
      type: "Sequence",
      decoders: [
        { type: "Replace", pattern: { String: "\u2581" }, content: " " },
        { type: "ByteFallback" },
        { type: "Fuse" },
      ],
    },
    added_tokens: [{ id: 0, content: "<eos>", special: true }],
  };
  const files = new Map([["tokenizer.json", new TextEncoder().encode(JSON.stringify(json))]]);
  const compiler = createGrammarCompiler(files, { stopTokenIds: [0], vocabularySize: 400 });
  const grammar = await compiler.compile({ kind: "regex", pattern: "a the b|日a" });
  const matcher = grammar.createMatcher();
  const id = (piece: string) => pieces.indexOf(piece);
  // Each letter is allowed as a piece and as a byte.
  expect(idsOf(matcher.nextMask(20))).toEqual([1 + 0x61, 1 + 0xe6, id("a"), id("日")]);
  matcher.accept(id("a"));
  expect(idsOf(matcher.nextMask(20))).toEqual([1 + 0x20, id("\u2581the"), id("\u2581")]);
  matcher.accept(id("\u2581the"));
  // Only two tokens and the stop token remain.
  expect(idsOf(matcher.nextMask(3))).toEqual([1 + 0x20, id("\u2581")]);
  const tokenizerOfPieces = createTokenizer({ tokenizerJson: json });
  expect(tokenizerOfPieces.decode([id("a"), id("\u2581the"), 1 + 0xc3, 1 + 0xa9])).toBe("a theé");
  expect(tokenizerOfPieces.decode(tokenizerOfPieces.encode("a é"))).toBe("a é");
});
