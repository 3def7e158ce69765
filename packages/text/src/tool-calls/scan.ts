/**
 * Scanners for text that may still grow: signs, and JSON by its brackets. A scanner returns what it read, "more" if the
 * text ended first, or "bad". Its result also holds for every longer text.
 */

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
export function scalarEnd(text: string, at: number): number | null {
  let end = at;
  while (/[-+.\w]/.test(text[end] ?? "")) end++;
  return end >= text.length ? null : end;
}

/** Index after the closing quote; `null` if it is missing. */
export function stringEnd(text: string, at: number): number | null {
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
