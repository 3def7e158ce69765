/** A pattern to redact and its type. */
export type RedactionRule = {
  /** Type in the placeholder `[TYPE_1]`: upper-case letters, digits and `_`. */
  readonly type: string;
  /** Flags `g` and `y` are ignored. It is never applied to placeholders or across them. */
  readonly pattern: RegExp;
  /** Checks a match. Returning `false` keeps the text. */
  readonly accept?: (match: string) => boolean;
};

/** Start and end of personal data in a text. */
export type Span = readonly [start: number, end: number];

/** A built-in rule: a pattern finds candidates, and `locate` finds personal data at or after a candidate. */
export type DetectionRule = {
  readonly type: string;
  /** Has the flag `g`. */
  readonly pattern: RegExp;
  /** `null` keeps the text. The span may start before the match. Reading is limited to a fixed length around it. */
  readonly locate: (text: string, match: RegExpExecArray) => Span | null;
  /** `true`: applied only to a text that ends where a placeholder of another type stands; `false`: only where none does. */
  readonly beforePlaceholder?: boolean;
};

/** Replaces whole matches. `accept` gets the match, the text and the start of the match. */
export function whole(
  type: string,
  pattern: RegExp,
  accept: (match: string, text: string, start: number) => boolean = () => true,
): DetectionRule {
  return {
    type,
    pattern: new RegExp(pattern, `g${pattern.flags}`),
    locate: (text, { 0: match, index }) =>
      accept(match, text, index) ? [index, index + match.length] : null,
  };
}

/** Longest text after an introduction that is read. */
const READ = 240;

/**
 * Replaces what an introduction announces.
 * @param find - gets the text after the introduction. Returns start and end in it, or `null`.
 */
export function introduced(
  type: string,
  pattern: RegExp,
  find: (rest: string) => Span | null,
): DetectionRule {
  return {
    type,
    pattern: new RegExp(pattern, `g${pattern.flags}`),
    locate: (text, { 0: match, index }) => {
      const end = index + match.length;
      const found = find(text.slice(end, end + READ));
      return found && [end + found[0], end + found[1]];
    },
  };
}

/** The span of group `value`, which ends the match of an expression that begins with `^`; `null` if it does not match. */
export function valueAtEnd(pattern: RegExp, rest: string): Span | null {
  const match = pattern.exec(rest);
  const value = match?.groups?.["value"];
  if (match === null || value === undefined) return null;
  return [match[0].length - value.length, match[0].length];
}
