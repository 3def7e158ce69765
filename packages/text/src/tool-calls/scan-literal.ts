/** Scanners, as in `scan.ts`, for names, Python's literals and FunctionGemma's values. */
import { GEMMA_ESCAPE } from "./markers.ts";
import { isRead, scalarEnd, scanSign, skipBlanks, stringEnd } from "./scan.ts";
import type { Scan } from "./scan.ts";

const WORDS: { readonly [word: string]: unknown } = {
  True: true,
  False: false,
  None: null,
  true: true,
  false: false,
  null: null,
};
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
const NAME = /[A-Za-z_][\w.-]*/y;

/** Scans a name. It is complete once another character follows. */
export function scanName(text: string, at: number): Scan<string> {
  const from = skipBlanks(text, at);
  NAME.lastIndex = from;
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return from >= text.length ? "more" : "bad";
  return from + name.length >= text.length ? "more" : { value: name, end: from + name.length };
}

/** Syntax of strings and keys in literals. */
export type LiteralStyle = "python" | "gemma";

/** Scans a literal: number, constant, string, list or dictionary. */
export function scanLiteral(text: string, at: number, style: LiteralStyle): Scan<unknown> {
  const from = skipBlanks(text, at);
  const sign = text[from];
  if (sign === undefined) return "more";
  if (style === "gemma" && GEMMA_ESCAPE.startsWith(text.slice(from, from + GEMMA_ESCAPE.length))) {
    const end = text.indexOf(GEMMA_ESCAPE, from + GEMMA_ESCAPE.length);
    if (end === -1) return "more";
    return { value: text.slice(from + GEMMA_ESCAPE.length, end), end: end + GEMMA_ESCAPE.length };
  }
  if (sign === '"' || sign === "'") return scanPythonText(text, from);
  if (sign === "[") return scanItems(text, from + 1, "]", (i) => scanLiteral(text, i, style));
  if (sign === "(") return scanItems(text, from + 1, ")", (i) => scanLiteral(text, i, style));
  if (sign === "{") {
    const entries = scanItems(text, from + 1, "}", (i) => scanEntry(text, i, style));
    return isRead(entries) ? { ...entries, value: Object.fromEntries(entries.value) } : entries;
  }
  // Another digit may follow.
  const end = scalarEnd(text, from);
  if (end === null) return "more";
  const word = text.slice(from, end);
  if (word in WORDS) return { value: WORDS[word], end };
  return NUMBER.test(word) ? { value: Number(word), end } : "bad";
}

function scanEntry(text: string, at: number, style: LiteralStyle): Scan<[string, unknown]> {
  const key = style === "gemma" ? scanGemmaKey(text, at) : scanLiteral(text, at, style);
  if (!isRead(key)) return key;
  const colon = scanSign(text, key.end, ":");
  if (!isRead(colon)) return colon;
  const value = scanLiteral(text, colon.end, style);
  return isRead(value) ? { value: [String(key.value), value.value], end: value.end } : value;
}

/** Scans a bare name up to its colon. */
function scanGemmaKey(text: string, at: number): Scan<unknown> {
  const end = text.indexOf(":", at);
  if (end === -1) return /[{}[\],]/.test(text.slice(at)) ? "bad" : "more";
  const key = text.slice(at, end).trim();
  return key === "" ? "bad" : { value: key, end };
}

/** Scans one `key:value` pair of FunctionGemma. */
export function scanGemmaEntry(text: string, at: number): Scan<[string, unknown]> {
  return scanEntry(text, at, "gemma");
}

/** Scans items up to a closing sign, separated by commas. */
function scanItems<T>(
  text: string,
  at: number,
  close: string,
  scanItem: (at: number) => Scan<T>,
): Scan<T[]> {
  const items: T[] = [];
  let from = skipBlanks(text, at);
  while (text[from] !== close) {
    const item = scanItem(from);
    if (!isRead(item)) return item;
    items.push(item.value);
    from = skipBlanks(text, item.end);
    if (text[from] === ",") from = skipBlanks(text, from + 1);
    else if (text[from] !== close) return from >= text.length ? "more" : "bad";
  }
  return { value: items, end: from + 1 };
}

const ESCAPES: { readonly [letter: string]: string } = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
  v: "\v",
  a: "\u0007",
  0: "\0",
  "\n": "",
};

function scanPythonText(text: string, at: number): Scan<string> {
  const end = stringEnd(text, at);
  if (end === null) return "more";
  const value = text
    .slice(at + 1, end - 1)
    .replace(
      /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|([^]))/g,
      (all, u?: string, U?: string, x?: string, letter = "") => {
        const hex = u ?? U ?? x;
        if (hex === undefined) {
          return ESCAPES[letter as string] ?? ("\\\"'".includes(letter as string) ? letter : all);
        }
        const code = Number.parseInt(hex, 16);
        return code <= 0x10_ffff ? String.fromCodePoint(code) : all;
      },
    );
  return { value, end };
}
