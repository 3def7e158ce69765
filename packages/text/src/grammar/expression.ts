/**
 * Grammars as hash-consed expressions over symbols: equal expressions have equal ids. A symbol is a byte (0–255)
 * or an added token of the vocabulary (256 and above, see `vocabulary.ts`). `automaton.ts` runs expressions.
 */
import { WaggleError } from "@waggle/protocol";

/** Id of an expression in its arena. */
export type Expression = number;

type Node =
  | { readonly kind: "empty" }
  | { readonly kind: "symbols"; readonly ranges: readonly number[] }
  | { readonly kind: "sequence"; readonly head: Expression; readonly tail: Expression }
  | { readonly kind: "alternatives"; readonly of: readonly Expression[] }
  | {
      readonly kind: "repeat";
      readonly of: Expression;
      readonly min: number;
      /** `Infinity` for no limit. */
      readonly max: number;
    }
  | { readonly kind: "rule"; readonly rule: number };

type Rule = { readonly name: string; body: Expression | null };

const encoder = new TextEncoder();

/** Builds the expressions of one grammar. */
export class Expressions {
  readonly #nodes: Node[] = [];
  readonly #ids = new Map<string, Expression>();
  readonly #rules: Rule[] = [];
  /** Why parts of a schema have no value, for the error if the grammar matches nothing. */
  readonly contradictions: string[] = [];

  /** Matches the empty string. */
  readonly empty: Expression = this.#intern("e", { kind: "empty" });
  /** Matches nothing, not even the empty string. */
  readonly never: Expression = this.#intern("a", { kind: "alternatives", of: [] });

  node(expression: Expression): Node {
    return this.#nodes[expression] as Node;
  }

  /** One symbol from the inclusive ranges `[low, high, low, high, …]`. */
  symbols(ranges: readonly number[]): Expression {
    const merged = mergeRanges(ranges);
    if (merged.length === 0) return this.never;
    return this.#intern(`s${merged.join(",")}`, { kind: "symbols", ranges: merged });
  }

  /** The UTF-8 bytes of a text. */
  literal(text: string): Expression {
    let result = this.empty;
    for (const byte of encoder.encode(text).reverse()) {
      result = this.sequence(this.symbols([byte, byte]), result);
    }
    return result;
  }

  sequence(...parts: readonly Expression[]): Expression {
    let result = this.empty;
    for (const part of parts.toReversed()) {
      if (part === this.never || result === this.never) return this.never;
      if (part === this.empty) continue;
      const node = this.node(part);
      if (result === this.empty) result = part;
      else if (node.kind === "sequence") {
        result = this.sequence(node.head, this.sequence(node.tail, result));
      } else {
        result = this.#intern(`q${part},${result}`, {
          kind: "sequence",
          head: part,
          tail: result,
        });
      }
    }
    return result;
  }

  alternatives(parts: readonly Expression[]): Expression {
    const flat = parts.flatMap((part) => {
      const node = this.node(part);
      return node.kind === "alternatives" ? node.of : [part];
    });
    const of = [...new Set(flat)].sort((a, b) => a - b);
    if (of.length === 1) return of[0] as Expression;
    return this.#intern(`a${of.join(",")}`, { kind: "alternatives", of });
  }

  repeat(of: Expression, min: number, max: number): Expression {
    if (max === 0 || of === this.empty) return this.empty;
    if (of === this.never) return min === 0 ? this.empty : this.never;
    if (min === 1 && max === 1) return of;
    return this.#intern(`r${of},${min},${max}`, { kind: "repeat", of, min, max });
  }

  optional(of: Expression): Expression {
    return this.repeat(of, 0, 1);
  }

  /** Declares a rule that may refer to itself. `define` sets its body. */
  declare(name: string): Expression {
    const rule = this.#rules.push({ name, body: null }) - 1;
    return this.#intern(`f${rule}`, { kind: "rule", rule });
  }

  define(declared: Expression, body: Expression): void {
    const node = this.node(declared);
    if (node.kind === "rule") (this.#rules[node.rule] as Rule).body = body;
  }

  /** The body of a rule. */
  body(rule: number): Expression {
    return this.#rules[rule]?.body ?? this.never;
  }

  get ruleCount(): number {
    return this.#rules.length;
  }

  /**
   * True if a rule can contain itself with something after it, which allows unlimited nesting. A rule at its own
   * end only repeats.
   */
  get isNested(): boolean {
    const inner = this.#rules.map((_, rule) => this.#rulesOf(this.body(rule), false));
    const any = this.#rules.map((_, rule) => this.#rulesOf(this.body(rule), true));
    const reaches = (from: number, to: number, seen = new Set<number>()): boolean => {
      if (from === to) return true;
      if (seen.has(from)) return false;
      seen.add(from);
      return [...(any[from] ?? [])].some((next) => reaches(next, to, seen));
    };
    return inner.some((rules, rule) => [...rules].some((next) => reaches(next, rule)));
  }

  /**
   * Refuses left recursion: a rule that can begin with itself never reaches its first symbol.
   * @throws WaggleError `GRAMMAR_UNSUPPORTED`.
   */
  refuseLeftRecursion(): void {
    const nullable = this.#nullableRules();
    const path: number[] = [];
    const done = new Set<number>();
    const visit = (rule: number): void => {
      if (done.has(rule)) return;
      if (path.includes(rule)) {
        throw new WaggleError(
          "GRAMMAR_UNSUPPORTED",
          `the rule ${this.#rules[rule]?.name} begins with itself (left recursion); write it as a repetition`,
        );
      }
      path.push(rule);
      for (const next of this.#leftRules(this.body(rule), nullable)) visit(next);
      path.pop();
      done.add(rule);
    };
    for (let rule = 0; rule < this.#rules.length; rule++) visit(rule);
  }

  /** Rules in a body, with or without those at its end. */
  #rulesOf(body: Expression, withLast: boolean): ReadonlySet<number> {
    const found = new Set<number>();
    const seen = new Set<string>();
    const visit = (expression: Expression, isLast: boolean): void => {
      const key = `${expression}${isLast ? "." : ""}`;
      if (seen.has(key)) return;
      seen.add(key);
      const node = this.node(expression);
      if (node.kind === "rule" && (withLast || !isLast)) found.add(node.rule);
      else if (node.kind === "alternatives") for (const part of node.of) visit(part, isLast);
      else if (node.kind === "repeat") visit(node.of, false);
      else if (node.kind === "sequence") {
        visit(node.head, false);
        visit(node.tail, isLast);
      }
    };
    visit(body, true);
    return found;
  }

  #nullableRules(): ReadonlySet<number> {
    const nullable = new Set<number>();
    for (let before = -1; before !== nullable.size;) {
      before = nullable.size;
      for (let rule = 0; rule < this.#rules.length; rule++) {
        if (this.#isNullable(this.body(rule), nullable)) nullable.add(rule);
      }
    }
    return nullable;
  }

  #isNullable(expression: Expression, rules: ReadonlySet<number>): boolean {
    const node = this.node(expression);
    if (node.kind === "empty") return true;
    if (node.kind === "sequence") {
      return this.#isNullable(node.head, rules) && this.#isNullable(node.tail, rules);
    }
    if (node.kind === "alternatives") return node.of.some((part) => this.#isNullable(part, rules));
    if (node.kind === "repeat") return node.min === 0 || this.#isNullable(node.of, rules);
    return node.kind === "rule" && rules.has(node.rule);
  }

  /** Rules that an expression can begin with. */
  #leftRules(expression: Expression, nullable: ReadonlySet<number>): number[] {
    const node = this.node(expression);
    if (node.kind === "rule") return [node.rule];
    if (node.kind === "alternatives") {
      return node.of.flatMap((part) => this.#leftRules(part, nullable));
    }
    if (node.kind === "repeat") return this.#leftRules(node.of, nullable);
    if (node.kind !== "sequence") return [];
    const head = this.#leftRules(node.head, nullable);
    if (!this.#isNullable(node.head, nullable)) return head;
    return [...head, ...this.#leftRules(node.tail, nullable)];
  }

  #intern(key: string, node: Node): Expression {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#nodes.push(node) - 1;
    this.#ids.set(key, id);
    return id;
  }
}

/** Sorts and merges ranges that overlap or touch. */
function mergeRanges(ranges: readonly number[]): number[] {
  const pairs: [number, number][] = [];
  for (let i = 0; i + 1 < ranges.length; i += 2) {
    pairs.push([ranges[i] as number, ranges[i + 1] as number]);
  }
  const merged: number[] = [];
  for (const [low, high] of pairs.sort((a, b) => a[0] - b[0])) {
    const last = merged.length - 1;
    if (last > 0 && low <= (merged[last] as number) + 1) {
      merged[last] = Math.max(merged[last] as number, high);
    } else {
      merged.push(low, high);
    }
  }
  return merged;
}
