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
import type { JsonSchema, Redactor } from "@waggle/protocol";
import type { DetectionRule, RedactionRule, Span } from "./rule.ts";
import { fieldSchema, sensitiveType } from "./sensitive-field.ts";

const PLACEHOLDER = /\[[A-Z][A-Z0-9_]{0,39}_\d{1,9}\]/g;
const TYPE = /^[A-Z][A-Z0-9_]{0,39}$/;

/** @param rulesFor - the rules for a text, in order. */
export function redactorOver(
  rulesFor: (text: string) => readonly DetectionRule[],
): Omit<Redactor, "prepare"> {
  const placeholderOf = new Map<string, string>();
  const valueOf = new Map<string, string | number>();
  const literals = new Set<string>();
  const counters = new Map<string, number>();

  const issue = (type: string, value: string | number): string => {
    const key = `${type}\n${typeof value}\n${value}`;
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

  /**
   * The piece split at the matches of the first rule that matches; `null` if none does.
   * @param next - the placeholder that follows the piece; empty if none does.
   */
  const split = (piece: string, rules: readonly DetectionRule[], next: string): Part[] | null => {
    for (const rule of rules) {
      if (rule.beforePlaceholder && (next === "" || next.startsWith(`[${rule.type}_`))) continue;
      if (rule.beforePlaceholder === false && next !== "") continue;
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
  const redactPlain = (text: string, rules: readonly DetectionRule[], next: string): string => {
    let output = "";
    const pending: Part[] = [text];
    for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
      const after = pending.at(-1);
      const following = typeof after === "object" ? after.placeholder : next;
      const parts = typeof part === "string" ? split(part, rules, following) : null;
      if (parts !== null) for (const next of parts.toReversed()) pending.push(next);
      else output += typeof part === "string" ? part : part.placeholder;
    }
    return output;
  };

  const redact = (text: string): string => {
    const rules = rulesFor(text);
    const placeholders = [...text.matchAll(PLACEHOLDER)];
    for (const [literal] of placeholders) if (!valueOf.has(literal)) literals.add(literal);
    let output = "";
    let start = 0;
    for (const match of placeholders) {
      output += redactPlain(text.slice(start, match.index), rules, match[0]) + match[0];
      start = match.index + match[0].length;
    }
    return output + redactPlain(text.slice(start), rules, "");
  };

  const restoreText = (text: string): string =>
    text.replace(PLACEHOLDER, (placeholder) => String(valueOf.get(placeholder) ?? placeholder));

  /** Replaces every string and number. Keeps `true`, `false`, `null` and empty strings. */
  const replaceAll = (type: string, value: unknown): unknown => {
    if (typeof value === "number") return issue(type, value);
    if (typeof value === "string") {
      return value === "" || valueOf.has(value) ? value : issue(type, restoreText(value));
    }
    if (Array.isArray(value)) return value.map((item) => replaceAll(type, item));
    return isObject(value) ? mapMembers(value, (_, member) => replaceAll(type, member)) : value;
  };

  const redactJson = (value: unknown): unknown => {
    if (typeof value === "string") return redact(value);
    if (typeof value === "number") return redactNumber(value, redact);
    if (Array.isArray(value)) return value.map(redactJson);
    if (!isObject(value)) return value;
    const redacted = mapMembers(value, (key, member) => {
      const type = sensitiveType(key, member);
      return type === null ? redactJson(member) : replaceAll(type, member);
    });
    return mapKeys(redacted, redact);
  };

  const redactArguments = (value: unknown, schema?: JsonSchema): unknown => {
    if (Array.isArray(value)) {
      return value.map((item) => redactArguments(item, fieldSchema(schema, null)));
    }
    if (!isObject(value)) return value;
    return mapMembers(value, (key, member) => {
      const field = fieldSchema(schema, key);
      const type = sensitiveType(key, member, field);
      return type === null ? redactArguments(member, field) : replaceAll(type, member);
    });
  };

  const restore = (value: unknown): unknown => {
    if (typeof value === "string") {
      // A number becomes a number again.
      return valueOf.get(value) ?? restoreText(value);
    }
    if (Array.isArray(value)) return value.map(restore);
    if (!isObject(value)) return value;
    return mapKeys(
      mapMembers(value, (_, member) => restore(member)),
      restoreText,
    );
  };

  return { redact, redactJson, redactArguments, restore };
}

/** Redacts a number that may be a card number. Other numbers stay numbers. */
function redactNumber(value: number, redact: (text: string) => string): unknown {
  if (!Number.isSafeInteger(value) || value < 1e13) return value;
  const text = String(value);
  const redacted = redact(text);
  return redacted === text ? value : redacted;
}

/** @throws WaggleError `INVALID_ARGUMENT` for a type that is not valid in a placeholder. */
export function toDetectionRules(rules: readonly RedactionRule[]): readonly DetectionRule[] {
  return rules.map(({ type, pattern, accept }) => {
    if (!TYPE.test(type)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a redaction rule's type must be upper-case letters, digits and _ (at most 40), like CUSTOMER_ID; got ${JSON.stringify(type.slice(0, 60))}`,
      );
    }
    return {
      type,
      pattern: new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, "")}g`),
      locate: (_, { 0: match, index }) =>
        accept?.(match) === false ? null : [index, index + match.length],
    };
  });
}

/** Text that may still contain personal data, or a placeholder. */
type Part = string | { readonly placeholder: string };

/** The first personal data that a rule finds. */
function firstMatch({ pattern, locate }: DetectionRule, text: string): Span | null {
  for (let from = 0; from <= text.length;) {
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    if (match === null) return null;
    const found = locate(text, match);
    if (found !== null && found[1] > found[0]) return found;
    from = match.index + match[0].length;
    // An empty match is passed by one whole character.
    if (match[0] === "") from += (text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1;
  }
  return null;
}

const mapMembers = (value: object, map: (key: string, member: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [key, map(key, member)]));

const mapKeys = (value: object, map: (key: string) => string): object =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [map(key), member]));
