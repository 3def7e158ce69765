/**
 * Regular expressions as grammars: ECMAScript syntax with the semantics of the `u` flag, as far as it is regular.
 * The caller determines how a character is written (plain text, or inside a JSON string).
 */
import { WaggleError } from "@waggle/protocol";
import { ANY_CHARACTER, complement } from "./characters.ts";
import type { CharacterRanges } from "./characters.ts";
import type { Expression, Expressions } from "./expression.ts";

/** Writes one character from a set. */
export type CharacterWriter = (ranges: CharacterRanges) => Expression;

/** How a pattern applies to a text. */
export type RegexOptions = {
  /** True = the pattern must match the whole text. False = a part of it, unless `^` and `$` say otherwise. */
  readonly isWhole: boolean;
  /** Characters allowed before and after a part. Default: any character. */
  readonly anything?: CharacterRanges;
  /** Bounds of the text's length, applied where a single character of the pattern repeats and the rest does not. */
  readonly length?: { readonly min: number; readonly max: number };
};

/** An atom and how often it may come. */
type Part = {
  readonly of: Expression;
  readonly min: number;
  readonly max: number;
  readonly isCharacter: boolean;
};

const DIGITS = [0x30, 0x39];
const WORD = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
const SPACE = [
  9, 13, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f,
  0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff,
];
const NOT_NEWLINE = complement([0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029]);
const CLASSES: { readonly [letter: string]: CharacterRanges } = {
  d: DIGITS,
  D: complement(DIGITS),
  w: WORD,
  W: complement(WORD),
  s: SPACE,
  S: complement(SPACE),
};
const CONTROLS: { readonly [letter: string]: number } = { n: 10, r: 13, t: 9, v: 11, f: 12, 0: 0 };
const MAX_REPETITIONS = 10_000;
const HYPHEN = 0x2d;

const isCharacter = (ranges: CharacterRanges): boolean =>
  ranges.length === 2 && ranges[0] === ranges[1];

/**
 * The texts that a pattern matches.
 *
 * @throws WaggleError `GRAMMAR_UNSUPPORTED` for look-around, back references, word boundaries, Unicode
 *   properties, flags, and anchors inside of the pattern; `INVALID_ARGUMENT` for an invalid pattern.
 */
export function regexExpression(
  e: Expressions,
  pattern: string,
  write: CharacterWriter,
  options: RegexOptions,
): Expression {
  return new RegexReader(e, pattern, write, options).read();
}

class RegexReader {
  readonly #e: Expressions;
  readonly #source: string;
  readonly #characters: string[];
  readonly #write: CharacterWriter;
  readonly #options: RegexOptions;
  #at = 0;
  #depth = 0;

  constructor(e: Expressions, source: string, write: CharacterWriter, options: RegexOptions) {
    this.#e = e;
    this.#source = source;
    this.#characters = Array.from(source);
    this.#write = write;
    this.#options = options;
  }

  read(): Expression {
    const result = this.#alternatives();
    if (this.#at < this.#characters.length) throw this.#invalid(`unmatched "${this.#peek()}"`);
    return result;
  }

  #alternatives(): Expression {
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    return this.#e.alternatives(parts);
  }

  #sequence(): Expression {
    const isOuter = this.#depth === 0;
    const any = this.#write(this.#options.anything ?? ANY_CHARACTER);
    const anything: Part = { of: any, min: 0, max: Infinity, isCharacter: true };
    const isLoose = isOuter && !this.#options.isWhole;
    const parts: Part[] = [];
    let isOpen = isLoose;
    if (isOuter && this.#take("^")) isOpen = false;
    if (isOpen) parts.push(anything);
    let isEnded = false;
    while (this.#at < this.#characters.length && !"|)".includes(this.#peek())) {
      if (isEnded) throw this.#unsupported("$ before the end");
      if (isOuter && this.#take("$")) isEnded = true;
      else parts.push(this.#quantified());
    }
    if (isLoose && !isEnded) parts.push(anything);
    const fitted = isOuter ? this.#fitted(parts) : parts;
    return this.#e.sequence(...fitted.map(({ of, min, max }) => this.#e.repeat(of, min, max)));
  }

  /** The parts within the length, if only one of them has a free length. */
  #fitted(parts: readonly Part[]): readonly Part[] {
    const { length } = this.#options;
    const free = parts.findIndex(({ min, max }) => min !== max);
    if (length === undefined || free < 0 || !parts.every((part) => part.isCharacter)) return parts;
    const others = parts.filter((_, index) => index !== free);
    if (others.some(({ min, max }) => min !== max)) return parts;
    const fixed = others.reduce((sum, { min }) => sum + min, 0);
    const part = parts[free] as Part;
    const min = Math.max(part.min, length.min - fixed);
    const max = Math.min(part.max, length.max - fixed);
    return min > max ? parts : parts.with(free, { ...part, min, max });
  }

  #quantified(): Part {
    const isCharacter = this.#peek() !== "(";
    const of = this.#atom();
    let min = 1;
    let max = 1;
    if (this.#take("*")) [min, max] = [0, Infinity];
    else if (this.#take("+")) [min, max] = [1, Infinity];
    else if (this.#take("?")) [min, max] = [0, 1];
    else {
      const rest = this.#characters.slice(this.#at).join("");
      const count = /^\{(\d+)(,(\d*))?\}/.exec(rest);
      if (count === null) return { of, min, max, isCharacter };
      this.#at += count[0].length;
      min = Number(count[1]);
      max = count[2] === undefined ? min : count[3] === "" ? Infinity : Number(count[3]);
      if (min > max) throw this.#invalid(`the count ${count[0]} is out of order`);
      if (min > MAX_REPETITIONS) throw this.#unsupported(`${min} repetitions`);
    }
    // Lazy quantifiers match the same texts.
    this.#take("?");
    return { of, min, max, isCharacter };
  }

  #atom(): Expression {
    const next = this.#next();
    if (next === "(") return this.#group();
    if (next === "[") return this.#write(this.#class());
    if (next === ".") return this.#write(NOT_NEWLINE);
    if (next === "\\") return this.#write(this.#escape(false));
    if (next === "^" || next === "$") throw this.#unsupported(`${next} within the pattern`);
    if ("*+?".includes(next)) throw this.#invalid(`"${next}" has nothing to repeat`);
    const code = next.codePointAt(0) as number;
    return this.#write([code, code]);
  }

  #group(): Expression {
    if (this.#take("?")) {
      if (this.#take("<")) {
        if (this.#peek() === "=" || this.#peek() === "!") throw this.#unsupported("look-behind");
        while (this.#next() !== ">");
      } else if (!this.#take(":")) {
        throw this.#unsupported(`look-ahead or flags (?${this.#peek()}`);
      }
    }
    this.#depth++;
    const result = this.#alternatives();
    this.#depth--;
    if (!this.#take(")")) throw this.#invalid("missing )");
    return result;
  }

  #class(): CharacterRanges {
    const isNegated = this.#take("^");
    const ranges: number[] = [];
    while (!this.#take("]")) {
      const low = this.#classMember();
      const isRange = this.#peek() === "-" && this.#characters[this.#at + 1] !== "]";
      if (!isRange) {
        ranges.push(...low);
        continue;
      }
      this.#next();
      const high = this.#classMember();
      if (![low, high].every(isCharacter)) {
        // `[\w-.]`: without the flag `u` this is a hyphen.
        ranges.push(...low, HYPHEN, HYPHEN, ...high);
        continue;
      }
      if (low[0]! > high[1]!) throw this.#invalid("invalid character range");
      ranges.push(low[0]!, high[1]!);
    }
    return isNegated ? complement(ranges) : ranges;
  }

  #classMember(): CharacterRanges {
    const next = this.#next();
    if (next === "\\") return this.#escape(true);
    const code = next.codePointAt(0) as number;
    return [code, code];
  }

  #escape(inClass: boolean): CharacterRanges {
    const letter = this.#next();
    const named = CLASSES[letter];
    if (named !== undefined) return named;
    if (/[pPkc1-9]/.test(letter) || (/[bB]/.test(letter) && !inClass)) {
      throw this.#unsupported(`\\${letter}`);
    }
    const code = CONTROLS[letter] ?? (letter === "b" ? 8 : this.#codePoint(letter));
    return [code, code];
  }

  #codePoint(letter: string): number {
    const rest = this.#characters.slice(this.#at).join("");
    const hex =
      letter === "x"
        ? /^([0-9a-fA-F]{2})/.exec(rest)
        : letter === "u"
          ? /^(?:\{([0-9a-fA-F]{1,8})\}|([0-9a-fA-F]{4}))/.exec(rest)
          : null;
    if (hex === null) {
      if (/[a-zA-Z]/.test(letter)) throw this.#invalid(`unknown escape \\${letter}`);
      return letter.codePointAt(0) as number;
    }
    this.#at += hex[0].length;
    return Number.parseInt(hex[1] ?? hex[2] ?? "", 16);
  }

  #peek(): string {
    return this.#characters[this.#at] ?? "";
  }

  #next(): string {
    const next = this.#characters[this.#at++];
    if (next === undefined) throw this.#invalid("unexpected end");
    return next;
  }

  #take(text: string): boolean {
    if (this.#peek() !== text) return false;
    this.#at++;
    return true;
  }

  #unsupported(feature: string): WaggleError {
    return new WaggleError(
      "GRAMMAR_UNSUPPORTED",
      `a grammar cannot express ${feature} in the pattern /${this.#source.slice(0, 200)}/`,
    );
  }

  #invalid(problem: string): WaggleError {
    return new WaggleError(
      "INVALID_ARGUMENT",
      `invalid pattern /${this.#source.slice(0, 200)}/: ${problem}`,
    );
  }
}
