/**
 * How values are written: as JSON, Python literals, or FunctionGemma's calls. `json-schema.ts` builds the same
 * grammar over all three.
 */
import { ANY_CHARACTER, character, complement, intersect } from "./characters.ts";
import type { CharacterRanges } from "./characters.ts";
import type { Expression, Expressions } from "./expression.ts";
import { textWithout } from "./text-without.ts";

/** The syntax of one format. */
export type ValueSyntax = {
  readonly true: string;
  readonly false: string;
  readonly null: string;
  /** Puts a string's content between its quotes. */
  readonly quote: (content: Expression) => Expression;
  /** A character from a set, as written within a string. */
  readonly character: (ranges: CharacterRanges) => Expression;
  /** Unconstrained content of a string. */
  readonly anyContent: Expression;
  /** Any name of a member. */
  readonly anyKey: Expression;
  /** A member's name with the text between it and the value. */
  readonly key: (content: Expression) => Expression;
  /** Between members and between items. */
  readonly separator: Expression;
};

/** Characters that are not escaped in a JSON string. */
const PLAIN = complement([0, 0x1f, 0x22, 0x22, 0x5c, 0x5c]);
/** Limit of names of members; longer names are refused in arguments (`parsed-call.ts`). */
const MAX_KEY_CHARACTERS = 64;
const ESCAPES: readonly (readonly [number, string])[] = [
  [0x08, "\\b"],
  [0x09, "\\t"],
  [0x0a, "\\n"],
  [0x0c, "\\f"],
  [0x0d, "\\r"],
  [0x22, '\\"'],
  [0x5c, "\\\\"],
];

/** `{"a": 1}` or `{"a":1}`: an optional space after colons and commas, and no other whitespace. */
export function jsonSyntax(e: Expressions): ValueSyntax {
  const space = e.optional(e.literal(" "));
  const any = e.alternatives([escaped(e, ANY_CHARACTER), e.literal("\\/"), unicodeEscape(e)]);
  return quotedSyntax(e, { true: "true", false: "false", null: "null" }, any, (content) =>
    e.sequence(quote(e, content), e.literal(":"), space),
  );
}

/** `{"a": True}`: Python's literals, with double quotes and the escapes that JSON and Python share. */
export function pythonSyntax(e: Expressions): ValueSyntax {
  const space = e.optional(e.literal(" "));
  const any = escaped(e, ANY_CHARACTER);
  return quotedSyntax(e, { true: "True", false: "False", null: "None" }, any, (content) =>
    e.sequence(quote(e, content), e.literal(":"), space),
  );
}

/**
 * `{a:<escape>text<escape>,b:1}`: FunctionGemma's syntax. Strings are unescaped between two markers; names are bare.
 *
 * @param escape - the marker as the vocabulary writes it.
 */
export function gemmaSyntax(e: Expressions, escape: Expression): ValueSyntax {
  return {
    true: "true",
    false: "false",
    null: "null",
    quote: (content) => e.sequence(escape, content, escape),
    // Without `<`, so that a string cannot begin the marker.
    character: (ranges) => character(e, intersect(ranges, complement([0x3c, 0x3c]))),
    anyContent: textWithout(e, ["<escape>"]),
    // Names are not quoted.
    anyKey: e.sequence(
      e.symbols([0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]),
      e.repeat(
        e.symbols([0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]),
        0,
        MAX_KEY_CHARACTERS - 1,
      ),
    ),
    key: (content) => e.sequence(content, e.literal(":")),
    separator: e.literal(","),
  };
}

function quotedSyntax(
  e: Expressions,
  names: Pick<ValueSyntax, "true" | "false" | "null">,
  any: Expression,
  key: (content: Expression) => Expression,
): ValueSyntax {
  return {
    ...names,
    quote: (content) => quote(e, content),
    character: (ranges) => escaped(e, ranges),
    anyContent: e.repeat(any, 0, Infinity),
    anyKey: e.repeat(any, 0, MAX_KEY_CHARACTERS),
    key,
    separator: e.sequence(e.literal(","), e.optional(e.literal(" "))),
  };
}

const quote = (e: Expressions, content: Expression): Expression =>
  e.sequence(e.literal('"'), content, e.literal('"'));

/** A character from a set within double quotes. */
function escaped(e: Expressions, ranges: CharacterRanges): Expression {
  const has = (code: number) => intersect(ranges, [code, code]).length > 0;
  const short = ESCAPES.filter(([code]) => has(code)).map(([, text]) => e.literal(text));
  const controls = Array.from({ length: 0x20 }, (_, code) => code)
    .filter((code) => has(code) && !ESCAPES.some(([escapedCode]) => escapedCode === code))
    .map((code) => e.literal(`\\u${code.toString(16).padStart(4, "0")}`));
  return e.alternatives([character(e, intersect(ranges, PLAIN)), ...short, ...controls]);
}

/** `\uXXXX`, with surrogates only in pairs. */
function unicodeEscape(e: Expressions): Expression {
  const hex = e.symbols([0x30, 0x39, 0x41, 0x46, 0x61, 0x66]);
  const notD = e.symbols([0x30, 0x39, 0x41, 0x43, 0x45, 0x46, 0x61, 0x63, 0x65, 0x66]);
  const d = e.symbols([0x44, 0x44, 0x64, 0x64]);
  const low = e.symbols([0x30, 0x37]);
  const highHalf = e.symbols([0x38, 0x39, 0x41, 0x42, 0x61, 0x62]);
  const lowHalf = e.symbols([0x43, 0x46, 0x63, 0x66]);
  const start = e.literal("\\u");
  return e.alternatives([
    e.sequence(start, notD, hex, hex, hex),
    e.sequence(start, d, low, hex, hex),
    e.sequence(start, d, highHalf, hex, hex, start, d, lowHalf, hex, hex),
  ]);
}
