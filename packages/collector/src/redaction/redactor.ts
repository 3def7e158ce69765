/**
 * Replaces personal data with typed placeholders before anything is tokenized. The map from placeholder to value
 * is held in a closure: it is never stored, sent or enumerable.
 *
 * Text such as `[EMAIL_1]` that appears before the redactor issued that placeholder is literal text: it passes
 * unchanged, is never restored, and its number is never issued later. After a placeholder was issued, the same
 * text always means its value, because redaction is idempotent and must accept its own output. Use one redactor
 * per conversation, so that a placeholder can only restore what was said there.
 */
import { isObject, WaggleError } from "@waggle/protocol";
import type { Redactor } from "@waggle/protocol";
import { BUILT_IN_RULES } from "./built-in-rules.ts";
import { whole } from "./rule.ts";
import type { DetectionRule, RedactionRule, Span } from "./rule.ts";
import { sensitiveType } from "./sensitive-field.ts";

const PLACEHOLDER = /\[[A-Z][A-Z0-9_]{0,39}_\d{1,9}\]/g;
const TYPE = /^[A-Z][A-Z0-9_]{0,39}$/;

/** Additional rules. */
export type RedactorOptions = {
  /** The page's own rules, applied before the built-in ones. */
  readonly rules?: readonly RedactionRule[];
};

/**
 * A redactor without any issued placeholders.
 * @throws WaggleError `INVALID_ARGUMENT` for a rule whose type is not valid in a placeholder.
 */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const rules = [...(options.rules ?? []).map(toDetectionRule), ...BUILT_IN_RULES].map(compile);
  const placeholderOf = new Map<string, string>();
  const valueOf = new Map<string, string>();
  const literals = new Set<string>();
  const counters = new Map<string, number>();

  const issue = (type: string, value: string): string => {
    const key = `${type}\n${value}`;
    const known = placeholderOf.get(key);
    if (known !== undefined) return known;
    let number = counters.get(type) ?? 0;
    let placeholder: string;
    do placeholder = `[${type}_${++number}]`;
    while (literals.has(placeholder));
    counters.set(type, number);
    placeholderOf.set(key, placeholder);
    valueOf.set(placeholder, value);
    return placeholder;
  };

  /** The piece split at the matches of the first rule that matches; `null` if none does. */
  const split = (piece: string): Part[] | null => {
    for (const rule of rules) {
      const parts: Part[] = [];
      let rest = piece;
      // Continues after each match, so that a rule reads a piece once, however many matches it has.
      for (let found = firstMatch(rule, rest); found !== null; found = firstMatch(rule, rest)) {
        const [start, end] = found;
        parts.push(rest.slice(0, start), { placeholder: issue(rule.type, rest.slice(start, end)) });
        rest = rest.slice(end);
      }
      if (parts.length > 0) return [...parts, rest];
    }
    return null;
  };

  // Searches each piece between placeholders until no rule matches any piece. A second pass then finds
  // nothing, which makes redaction idempotent.
  const redactPlain = (text: string): string => {
    let output = "";
    const pending: Part[] = [text];
    for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
      const parts = typeof part === "string" ? split(part) : null;
      if (parts !== null) for (const next of parts.toReversed()) pending.push(next);
      else output += typeof part === "string" ? part : part.placeholder;
    }
    return output;
  };

  const redact = (text: string): string => {
    const placeholders = [...text.matchAll(PLACEHOLDER)];
    for (const [literal] of placeholders) if (!valueOf.has(literal)) literals.add(literal);
    let output = "";
    let start = 0;
    for (const match of placeholders) {
      output += redactPlain(text.slice(start, match.index)) + match[0];
      start = match.index + match[0].length;
    }
    return output + redactPlain(text.slice(start));
  };

  const restoreText = (text: string): string =>
    text.replace(PLACEHOLDER, (placeholder) => valueOf.get(placeholder) ?? placeholder);

  return {
    redact,
    redactJson: (value) => mapStrings(value, redact, redactNumber(redact)),
    restore: (value) => mapStrings(value, restoreText, (number) => number),
  };
}

/** Redacts a number that may be a card or phone number. Other numbers stay numbers. */
const redactNumber =
  (redact: (text: string) => string) =>
  (value: number): unknown => {
    if (!Number.isSafeInteger(value) || value < 1e13) return value;
    const text = String(value);
    const redacted = redact(text);
    return redacted === text ? value : redacted;
  };

/** @throws WaggleError `INVALID_ARGUMENT` for a type that is not valid in a placeholder. */
function toDetectionRule({ type, pattern, accept }: RedactionRule): DetectionRule {
  if (!TYPE.test(type)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a redaction rule's type must be upper-case letters, digits and _ (at most 40), like CUSTOMER_ID; got ${JSON.stringify(type.slice(0, 60))}`,
    );
  }
  return whole(type, pattern, (match) => accept?.(match) !== false);
}

function compile(rule: DetectionRule): DetectionRule {
  const flags = rule.pattern.flags.replace(/[gy]/g, "");
  return { ...rule, pattern: new RegExp(rule.pattern.source, `${flags}g`) };
}

/** Text that may still contain personal data, or a placeholder. */
type Part = string | { readonly placeholder: string };

/** The first personal data that a rule finds. */
function firstMatch({ pattern, locate }: DetectionRule, text: string): Span | null {
  for (const match of text.matchAll(pattern)) {
    const found = locate(text, match);
    if (found !== null && found[1] > found[0]) return found;
  }
  return null;
}

function mapStrings(
  value: unknown,
  onText: (text: string) => string,
  onNumber: (value: number) => unknown,
): unknown {
  if (typeof value === "string") return onText(value);
  if (typeof value === "number") return onNumber(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, onText, onNumber));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      onText(key),
      mapStrings(member, onText, onNumber),
    ]),
  );
}
