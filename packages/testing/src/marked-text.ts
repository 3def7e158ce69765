/** Texts whose personal values are marked in place, as in `Call me on [[phone:020 7946 0182]] please`. */
import { WaggleError } from "@waggle/protocol";

/** Kinds of personal values. A `name` is introduced, as by `my name is`; a `name-bare` is not. */
export const REDACTION_KINDS = [
  "email",
  "phone",
  "card",
  "iban",
  "national-id",
  "api-key",
  "password",
  "name",
  "address",
  "name-bare",
] as const;

/** A kind of personal value. */
export type RedactionKind = (typeof REDACTION_KINDS)[number];

/** The place of one value: UTF-16 offsets into the text, `end` excluded. */
export type RedactionSpan = {
  readonly start: number;
  readonly end: number;
  readonly kind: RedactionKind;
};

/** A text without its marks, and the places that they marked in order. */
export type UnmarkedText = { readonly text: string; readonly spans: readonly RedactionSpan[] };

/**
 * Takes the marks out of a text.
 * @throws WaggleError `SCHEMA_INVALID` for an unknown kind, an empty value, or a mark that does not end.
 */
export function parseMarkedText(marked: string): UnmarkedText {
  const spans: RedactionSpan[] = [];
  let text = "";
  let read = 0;
  for (const mark of marked.matchAll(/\[\[([a-z-]+):(.*?)\]\]/gs)) {
    const [whole, name = "", value = ""] = mark;
    const kind = REDACTION_KINDS.find((one) => one === name);
    if (kind === undefined) throw invalid(`unknown kind of value: ${name.slice(0, 40)}`);
    if (value === "" || value.includes("[[")) throw invalid(`bad value in a mark of kind ${kind}`);
    text += marked.slice(read, mark.index);
    spans.push({ start: text.length, end: text.length + value.length, kind });
    text += value;
    read = mark.index + whole.length;
  }
  text += marked.slice(read);
  if (/\[\[[a-z-]+:/.test(text)) throw invalid("a mark does not end with ]]");
  return { text, spans };
}

function invalid(message: string): WaggleError {
  return new WaggleError("SCHEMA_INVALID", message);
}
