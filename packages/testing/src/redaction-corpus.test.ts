import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REDACTION_KINDS } from "./marked-text.ts";
import type { RedactionKind } from "./marked-text.ts";
import { parseRedactionCases, REDACTION_LANGUAGES, redactionCorpus } from "./redaction-corpus.ts";
import type { RedactionCase, RedactionHalf } from "./redaction-corpus.ts";

const FOLDER = join(import.meta.dirname, "../redaction-corpus");
const corpus = redactionCorpus();
const planted = corpus.filter(({ spans }) => spans.length > 0);
const harmless = corpus.filter(({ spans }) => spans.length === 0);
const having = (kind: RedactionKind): RedactionCase[] =>
  corpus.filter(({ spans }) => spans.some((span) => span.kind === kind));

const HALVES = ["development", "final"] as const;

/** The text with the kind of each value in its place, and 0 for other numbers. */
function wordingOf({ text, spans }: RedactionCase): string {
  const parts = spans.map(
    ({ start, kind }, i) => `${text.slice(spans[i - 1]?.end ?? 0, start)}<${kind}>`,
  );
  return `${parts.join("")}${text.slice(spans.at(-1)?.end ?? 0)}`
    .toLowerCase()
    .replace(/\d+/g, "0");
}

const LANGUAGE_FILES = REDACTION_LANGUAGES.map((language) => `${language}.json`);

test("every file of the two folders is read", () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
  expect(files.sort()).toEqual(LANGUAGE_FILES);
  expect(readdirSync(join(FOLDER, "unseen")).sort()).toEqual(LANGUAGE_FILES);
});

test("ids are unique, and no text occurs twice", () => {
  expect(new Set(corpus.map(({ id }) => id)).size).toBe(corpus.length);
  expect(new Set(corpus.map(({ text }) => text)).size).toBe(corpus.length);
});

test("no value of a kind with digits or secrets occurs in two messages", () => {
  const secrets = corpus.flatMap(({ text, spans }) =>
    spans
      .filter(({ kind }) => !["name", "name-bare", "email", "address"].includes(kind))
      .map(({ start, end }) => text.slice(start, end)),
  );
  expect(secrets.filter((value, i) => secrets.indexOf(value) !== i)).toEqual([]);
});

test("the README states the counts", () => {
  const row = (name: string, cases: readonly RedactionCase[]): string => {
    const counts = REDACTION_LANGUAGES.map(
      (language) => cases.filter((one) => one.language === language).length,
    );
    return `| ${[name, ...counts, cases.length].join(" | ")} |`;
  };
  const readme = readFileSync(join(FOLDER, "README.md"), "utf8");
  for (const half of HALVES) {
    const inHalf = (cases: readonly RedactionCase[]): RedactionCase[] =>
      cases.filter((one) => one.half === half);
    expect(readme).toContain(
      [
        ...REDACTION_KINDS.map((kind) => row(`\`${kind}\``, inHalf(having(kind)))),
        row("with values", inHalf(planted)),
        row("harmless", inHalf(harmless)),
      ].join("\n"),
    );
  }
});

test("each half and language has enough messages of each kind", () => {
  const least: { readonly [kind in RedactionKind]?: number } = {
    name: 100,
    address: 70,
    "name-bare": 100,
  };
  const few = HALVES.flatMap((half) => {
    const inHalf = (cases: readonly RedactionCase[]): RedactionCase[] =>
      cases.filter((one) => one.half === half);
    const counts = [
      { half, of: "with values", count: inHalf(planted).length, least: 650 },
      { half, of: "harmless", count: inHalf(harmless).length, least: 400 },
      ...REDACTION_KINDS.flatMap((kind) => {
        const all = inHalf(having(kind));
        return [
          { half, of: kind, count: all.length, least: least[kind] ?? 40 },
          ...REDACTION_LANGUAGES.map((language) => ({
            half,
            of: `${kind} ${language}`,
            count: all.filter((one) => one.language === language).length,
            least: 5,
          })),
        ];
      }),
    ];
    return counts.filter((one) => one.count < one.least);
  });
  expect(few).toEqual([]);
});

test("the halves share no planted value and no wording", () => {
  const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const valuesOf = (half: RedactionHalf): string[] =>
    corpus
      .filter((one) => one.half === half)
      .flatMap(({ text, spans }) => spans.map(({ start, end }) => letters(text.slice(start, end))));
  const wordingsOf = (half: RedactionHalf): string[] =>
    corpus.filter((one) => one.half === half).map((one) => wordingOf(one));
  const shared = (of: (half: RedactionHalf) => string[]): string[] => {
    const known = new Set(of("development"));
    return of("final").filter((one) => known.has(one));
  };
  expect(shared(valuesOf)).toEqual([]);
  expect(shared(wordingsOf)).toEqual([]);
});

test("no wording occurs more than three times", () => {
  const wordings = Map.groupBy(corpus, wordingOf);
  const repeated = [...wordings].filter(([, cases]) => cases.length > 3);
  expect(repeated.map(([wording]) => wording)).toEqual([]);
});

test("spans lie inside their texts in order and do not begin or end with a space", () => {
  const wrong = planted.filter(({ text, spans }) =>
    spans.some(({ start, end }, i) => {
      const value = text.slice(start, end);
      const isPlaced = start >= (spans[i - 1]?.end ?? 0) && end > start && end <= text.length;
      return !isPlaced || value !== value.trim();
    }),
  );
  expect(wrong).toEqual([]);
  expect(corpus.filter(({ text }) => /\[\[|\]\]/.test(text))).toEqual([]);
});

/** How values of a kind look, as far as one pattern can say. */
const LOOKS: { readonly [kind in RedactionKind]: RegExp } = {
  email: /^[\w.+'-]+(@| at )[\w .-]+$/,
  phone: /^[+(（]?(\p{Nd}\D{0,8}){7,}$/u,
  card: /^\d[\d \n-]{13,18}\d$/,
  iban: /^[A-Za-z]{2}\d{2}[\dA-Za-z \n-]{11,33}$/,
  "national-id": /^[\dA-Za-z][\dA-Za-z ./-]{7,22}$/,
  "api-key": /^[\w./+-]{20,}={0,2}$|^-----BEGIN [A-Z ]*PRIVATE KEY-----\n[\w+/=\n]+-----END/,
  password: /^\S.{2,}$/,
  name: /\p{L}/u,
  address: /\p{L}|\d{5}|\d{3}-\d{4}/u,
  "name-bare": /^\P{N}+$/u,
};

test("values look like their kind", () => {
  const odd = corpus.flatMap(({ id, text, spans }) =>
    spans
      .map(({ start, end, kind }) => ({ kind, value: text.slice(start, end) }))
      .filter(({ kind, value }) => !LOOKS[kind].test(value))
      .map(({ kind, value }) => `${id} ${kind} ${value}`),
  );
  expect(odd).toEqual([]);
});

test("the files show no key in the form that scanners of secrets look for", () => {
  const KEY =
    /AKIA[A-Z2-7]{16}|gh[opsu]_\w{36}|github_pat_\w{50}|glpat-\S{20}|[rs]k_(live|test)_\w{20}|whsec_\w{20}|sk-[\w-]{40}|xox[bp]-\d|AIza\S{35}|npm_\w{36}|SG\.\S{22}\.|SK[0-9a-f]{32}|hf_\w{34}|eyJ\w+\.eyJ|-----BEGIN/;
  expect(corpus.filter(({ text }) => KEY.test(text)).length).toBeGreaterThan(60);
  for (const name of LANGUAGE_FILES.flatMap((file) => [file, `unseen/${file}`])) {
    const file = readFileSync(join(FOLDER, name), "utf8");
    expect(KEY.exec(file)?.[0]).toBeUndefined();
  }
});

test("a message's half follows from its folder", () => {
  expect(corpus.find(({ id }) => id === "en-001")?.half).toBe("development");
  expect(corpus.find(({ id }) => id === "en-501")?.half).toBe("final");
});

test.each([
  ["no list", {}, "expected array"],
  ["an unknown member", [{ id: "de-001", marked: "x", note: "" }], "Unrecognized key"],
  ["a bad id", [{ id: "de-1", marked: "x" }], "must match pattern"],
  ["another language", [{ id: "fr-001", marked: "[[name:Ana]]" }], "fr-001 is of another language"],
  ["an id without h", [{ id: "de-001", marked: "no value" }], "de-001: only the id of a message"],
  ["an id with h", [{ id: "de-h01", marked: "[[name:Ana]]" }], "must match pattern"],
  ["a value in a harmless message", [{ id: "de-h001", marked: "[[name:Ana]]" }], "de-h001: only"],
])("%s is refused", (_, file, message) => {
  expect(() => parseRedactionCases("final", "de", file)).toThrow(message);
});
