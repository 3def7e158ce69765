/**
 * Scanners for text that may still grow: JSON by its brackets, Python literals, FunctionGemma's values. A scanner
 * returns what it read, "more" if the text ended first, or "bad". Its result also holds for every longer text.
 */
import { GEMMA_ESCAPE } from "./markers.ts";

/** A value and the index after it. */
export type Scanned<T> = { readonly value: T; readonly end: number };
/** Result of a scanner. */
export type Scan<T> = Scanned<T> | "more" | "bad";

/** True if a value was read. */
export function isRead<T>(scan: Scanned<T> | string): scan is Scanned<T> {
  return typeof scan === "object";
}

/** Index of the next character that is not whitespace. */
export function skipBlanks(text: string, at: number): number {
  let end = at;
  while (/\s/.test(text[end] ?? "")) end++;
  return end;
}

/** Scans a given string after whitespace. */
export function scanSign(text: string, at: number, sign: string): Scan<string> {
  const from = skipBlanks(text, at);
  if (text.startsWith(sign, from)) return { value: sign, end: from + sign.length };
  return sign.startsWith(text.slice(from)) ? "more" : "bad";
}

/** Scans the text of a JSON value by brackets and quotes. It may still be invalid for `JSON.parse`. */
export function scanJson(text: string, at: number): Scan<string> {
  const first = text[at] ?? "";
  if (first === "") return "more";
  if (first !== "{" && first !== "[") {
    const end = first === '"' ? stringEnd(text, at) : scalarEnd(text, at);
    if (end === at) return "bad";
    return end === null ? "more" : { value: text.slice(at, end), end };
  }
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const sign = text[i] as string;
    if (sign === '"') {
      const end = stringEnd(text, i);
      if (end === null) return "more";
      i = end - 1;
    } else if ("{[".includes(sign)) depth++;
    else if ("}]".includes(sign)) {
      depth--;
      if (depth === 0) return { value: text.slice(at, i + 1), end: i + 1 };
    } else if (!/[-+.\w\s,:]/.test(sign)) return "bad";
  }
  return "more";
}

/** Index after a scalar; `null` if further characters could belong to it. */
function scalarEnd(text: string, at: number): number | null {
  let end = at;
  while (/[-+.\w]/.test(text[end] ?? "")) end++;
  return end >= text.length ? null : end;
}

/** Index after the closing quote; `null` if it is missing. */
function stringEnd(text: string, at: number): number | null {
  const quote = text[at];
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === quote) return i + 1;
  }
  return null;
}

type Member = { readonly key: string; readonly start: number; readonly end: number | null };

/** Members of a JSON object as far as they have arrived. The last value may be incomplete. */
export function jsonMembers(text: string, at: number): readonly Member[] {
  const members: Member[] = [];
  let from = skipBlanks(text, at) + 1;
  for (;;) {
    from = skipBlanks(text, from);
    if (text[from] !== '"') return members;
    const keyEnd = stringEnd(text, from);
    const key = keyEnd === null ? undefined : parseJson(text.slice(from, keyEnd));
    if (keyEnd === null || typeof key !== "string") return members;
    const colon = scanSign(text, keyEnd, ":");
    if (!isRead(colon)) return members;
    const start = skipBlanks(text, colon.end);
    if (start >= text.length) return members;
    const value = scanJson(text, start);
    members.push({ key, start, end: isRead(value) ? value.end : null });
    if (!isRead(value)) return members;
    const comma = scanSign(text, value.end, ",");
    if (!isRead(comma)) return members;
    from = comma.end;
  }
}

/** The parsed value; `undefined` if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

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
