/**
 * EBNF in the syntax of XGrammar and llama.cpp: `name ::= "text" | [a-z]+ (other){2,3} # comment`, with start rule
 * `root`. Look-ahead assertions and XGrammar's macros are not supported.
 */
import { WaggleError } from "@waggle/protocol";
import { character } from "./characters.ts";
import type { Expression, Expressions } from "./expression.ts";
import { regexExpression } from "./regex.ts";

/** After spaces and comments: the beginning of a rule, a text, a character class, a name, a count or a sign. */
const TOKEN =
  /(?:\s|#[^\n]*)*(?:([A-Za-z_][\w.-]*)\s*::=|"((?:[^"\\\n]|\\.)*)"|(\[(?:[^\]\\]|\\.)*\])|([A-Za-z_][\w.-]*)|\{(\d+)(,?)(\d*)\}|([|()*+?]))/uy;
const END = /(?:\s|#[^\n]*)*$/uy;

type Token = { readonly kind: string; readonly text: string; readonly match: RegExpExecArray };

/**
 * Builds the expression of an EBNF grammar.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for invalid EBNF or a missing rule; `GRAMMAR_UNSUPPORTED` for an
 *   unsupported feature.
 */
export function ebnfExpression(e: Expressions, source: string): Expression {
  const tokens = read(source);
  const rules = new Map<string, Expression>();
  for (const { kind, text } of tokens) if (kind === "rule") rules.set(text, e.declare(text));
  const parts = new Map<string, Expression[]>();
  let at = 0;
  const peek = () => tokens[at];
  const isSign = (sign: string) => peek()?.kind === "sign" && peek()?.text === sign;

  const alternatives = (): Expression => {
    const found = [sequence()];
    while (isSign("|")) {
      at++;
      found.push(sequence());
    }
    return e.alternatives(found);
  };

  const sequence = (): Expression => {
    const found: Expression[] = [];
    for (let token = peek(); token !== undefined; token = peek()) {
      if (token.kind === "rule" || isSign("|") || isSign(")")) break;
      found.push(quantified(token));
    }
    return e.sequence(...found);
  };

  const quantified = (token: Token): Expression => {
    let result = atom(token);
    for (let next = peek(); next !== undefined; next = peek()) {
      if (next.kind === "count") {
        const [, , , , , min, comma, max] = next.match;
        const lower = Number(min);
        result = e.repeat(result, lower, !comma ? lower : max ? Number(max) : Infinity);
      } else if (isSign("*")) result = e.repeat(result, 0, Infinity);
      else if (isSign("+")) result = e.repeat(result, 1, Infinity);
      else if (isSign("?")) result = e.optional(result);
      else break;
      at++;
    }
    return result;
  };

  const atom = (token: Token): Expression => {
    at++;
    if (token.kind === "text") return e.literal(unescape(token.text));
    if (token.kind === "class") {
      const source = token.text.replace(/\\U([0-9a-fA-F]{8})/g, "\\u{$1}");
      return regexExpression(e, source, (ranges) => character(e, ranges), { isWhole: true });
    }
    if (token.kind === "name") {
      const rule = rules.get(token.text);
      if (rule !== undefined) return rule;
      throw invalid(`the rule ${token.text} is not defined`);
    }
    if (token.text !== "(") throw invalid(`"${token.text}" has nothing to repeat`);
    const result = alternatives();
    if (!isSign(")")) throw invalid("missing )");
    at++;
    return result;
  };

  while (at < tokens.length) {
    const token = peek() as Token;
    if (token.kind !== "rule") throw invalid(`"${token.text}" is outside of a rule`);
    at++;
    parts.set(token.text, [...(parts.get(token.text) ?? []), alternatives()]);
  }
  for (const [name, bodies] of parts) {
    e.define(rules.get(name) as Expression, e.alternatives(bodies));
  }
  const root = rules.get("root");
  if (root === undefined) throw invalid("there is no rule named root");
  return root;
}

function read(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(source);
    if (match === null) break;
    at = TOKEN.lastIndex;
    const kinds = ["rule", "text", "class", "name", "count", "", "", "sign"];
    const index = match.findIndex((group, i) => i > 0 && group !== undefined);
    tokens.push({ kind: kinds[index - 1] as string, text: match[index] as string, match });
  }
  END.lastIndex = at;
  if (END.test(source)) return tokens;
  const rest = source.slice(at).trimStart();
  if (rest.startsWith("=") && tokens.at(-1)?.text === "(") {
    throw new WaggleError(
      "GRAMMAR_UNSUPPORTED",
      "look-ahead assertions (=…) are not supported; remove them, since they only speed XGrammar up",
    );
  }
  throw invalid(`unexpected "${rest.slice(0, 40)}"`);
}

function unescape(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/gu,
    (_, x: string | undefined, u: string | undefined, U: string | undefined, letter: string) => {
      const hex = x ?? u ?? U;
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      return { n: "\n", r: "\r", t: "\t", "0": "\0" }[letter] ?? letter;
    },
  );
}

function invalid(problem: string): WaggleError {
  return new WaggleError("INVALID_ARGUMENT", `invalid EBNF: ${problem}`);
}
