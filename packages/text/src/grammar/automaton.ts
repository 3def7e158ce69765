/**
 * Runs an expression symbol by symbol: a deterministic automaton over sets of continuations, made
 * as far as it is asked for. Recursion is a stack inside a continuation, so states are unbounded
 * only where the grammar is. Also knows from every state the shortest way to the end, in symbols.
 */
import type { Expression, Expressions } from "./expression.ts";

/** A state's number. */
export type State = number;

/** Nothing can follow any more. */
export const DEAD: State = 0;

/** An expression, then another continuation; 0 is the end. */
type Continuation = number;
const END: Continuation = 0;
const UNKNOWN = -1;
/** Expressions of one grammar stay far below; the key of a pair must fit 53 bits. */
const EXPRESSION_LIMIT = 2 ** 24;

type StateInfo = {
  /** Continuations that begin with symbols. */
  readonly leaves: readonly Continuation[];
  readonly isAccepting: boolean;
  /** Symbols of the shortest way to the end. */
  readonly shortest: number;
  /** `[alphabet]` next states, `UNKNOWN` until asked for. */
  readonly next: Int32Array;
};

export class Automaton {
  readonly start: State;
  readonly #e: Expressions;
  readonly #alphabet: number;
  readonly #heads: Expression[] = [0];
  readonly #tails: Continuation[] = [END];
  readonly #continuations = new Map<number, Continuation>();
  readonly #continuationLengths: number[] = [0];
  readonly #lengths = new Map<Expression, number>();
  readonly #ruleLengths: number[];
  readonly #states: StateInfo[] = [];
  readonly #stateIds = new Map<string, State>();

  /** @param alphabet - number of symbols. */
  constructor(expressions: Expressions, root: Expression, alphabet: number) {
    this.#e = expressions;
    this.#alphabet = alphabet;
    this.#ruleLengths = shortestOfRules(expressions);
    this.#state([]);
    this.start = this.#close([this.#continue(root, END)]);
  }

  /** The state after a symbol, `DEAD` where it may not come. */
  step(state: State, symbol: number): State {
    const { next, leaves } = this.#states[state] as StateInfo;
    const known = next[symbol] as number;
    if (known !== UNKNOWN) return known;
    const tails: Continuation[] = [];
    // Symbols around this one that every leaf takes or leaves with it lead to the same state.
    let low = 0;
    let high = this.#alphabet - 1;
    for (const leaf of leaves) {
      const node = this.#e.node(this.#heads[leaf] as Expression);
      if (node.kind !== "symbols") continue;
      for (let i = 0; i < node.ranges.length; i += 2) {
        const [from, to] = [node.ranges[i] as number, node.ranges[i + 1] as number];
        if (symbol < from) {
          high = Math.min(high, from - 1);
          break;
        }
        if (symbol > to) low = Math.max(low, to + 1);
        else {
          tails.push(this.#tails[leaf] as Continuation);
          low = Math.max(low, from);
          high = Math.min(high, to);
          break;
        }
      }
    }
    const result = tails.length === 0 ? DEAD : this.#close(tails);
    next.fill(result, low, high + 1);
    return result;
  }

  isAccepting(state: State): boolean {
    return (this.#states[state] as StateInfo).isAccepting;
  }

  /** Symbols of the shortest way to the end; `Infinity` from `DEAD`. */
  shortestLength(state: State): number {
    return (this.#states[state] as StateInfo).shortest;
  }

  /**
   * The shortest way to the end; of several, the one that is first in the order of symbols. So what
   * remains of it after any part is again the shortest from there.
   */
  shortestPath(state: State): number[] {
    const path: number[] = [];
    for (let at = state; !(this.shortestLength(at) === 0);) {
      const symbol = this.#firstOnShortest(at);
      path.push(symbol);
      at = this.step(at, symbol);
    }
    return path;
  }

  /** States made so far. */
  get stateCount(): number {
    return this.#states.length;
  }

  #firstOnShortest(state: State): number {
    const { leaves, shortest } = this.#states[state] as StateInfo;
    let first = this.#alphabet;
    for (const leaf of leaves) {
      if (this.#continuationLengths[leaf] !== shortest) continue;
      const node = this.#e.node(this.#heads[leaf] as Expression);
      if (node.kind === "symbols") first = Math.min(first, node.ranges[0] as number);
    }
    return first;
  }

  /** The state of everything that can come first. */
  #close(continuations: readonly Continuation[]): State {
    const leaves: Continuation[] = [];
    const seen = new Set<Continuation>();
    const open = [...continuations];
    let isAccepting = false;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      if (at === END) {
        isAccepting = true;
        continue;
      }
      // What can never be finished is no way to go.
      if (this.#continuationLengths[at] === Infinity) continue;
      const tail = this.#tails[at] as Continuation;
      const node = this.#e.node(this.#heads[at] as Expression);
      if (node.kind === "symbols") leaves.push(at);
      else if (node.kind === "empty") open.push(tail);
      else if (node.kind === "sequence") {
        open.push(this.#continue(node.head, this.#continue(node.tail, tail)));
      } else if (node.kind === "alternatives") {
        for (const part of node.of) open.push(this.#continue(part, tail));
      } else if (node.kind === "rule") {
        open.push(this.#continue(this.#e.body(node.rule), tail));
      } else {
        const { of, min, max } = node;
        if (min === 0) open.push(tail);
        const rest = this.#e.repeat(of, Math.max(0, min - 1), max - 1);
        open.push(this.#continue(of, this.#continue(rest, tail)));
      }
    }
    return this.#state(leaves, isAccepting);
  }

  #state(leaves: readonly Continuation[], isAccepting = false): State {
    const sorted = leaves.toSorted((a, b) => a - b);
    const key = `${isAccepting ? "+" : ""}${sorted.join(",")}`;
    const known = this.#stateIds.get(key);
    if (known !== undefined) return known;
    const lengths = sorted.map((leaf) => this.#continuationLengths[leaf] as number);
    const state = this.#states.push({
      leaves: sorted,
      isAccepting,
      shortest: isAccepting ? 0 : lengths.reduce((a, b) => Math.min(a, b), Infinity),
      next: new Int32Array(this.#alphabet).fill(sorted.length === 0 ? DEAD : UNKNOWN),
    });
    this.#stateIds.set(key, state - 1);
    return state - 1;
  }

  #continue(head: Expression, tail: Continuation): Continuation {
    if (head === this.#e.empty) return tail;
    const key = tail * EXPRESSION_LIMIT + head;
    const known = this.#continuations.get(key);
    if (known !== undefined) return known;
    const id = this.#heads.push(head) - 1;
    this.#tails.push(tail);
    const length = shortestOf(this.#e, head, this.#ruleLengths, this.#lengths);
    this.#continuationLengths.push(length + (this.#continuationLengths[tail] as number));
    this.#continuations.set(key, id);
    return id;
  }
}

/** Symbols of the shortest text of every rule: the least fixed point (Knuth 1977). */
function shortestOfRules(e: Expressions): number[] {
  const lengths = Array.from({ length: e.ruleCount }, () => Infinity);
  for (let changed = true; changed;) {
    changed = false;
    const known = new Map<Expression, number>();
    for (let rule = 0; rule < lengths.length; rule++) {
      const length = shortestOf(e, e.body(rule), lengths, known);
      if (length < (lengths[rule] as number)) {
        lengths[rule] = length;
        changed = true;
      }
    }
  }
  return lengths;
}

function shortestOf(
  e: Expressions,
  expression: Expression,
  rules: readonly number[],
  known: Map<Expression, number>,
): number {
  const found = known.get(expression);
  if (found !== undefined) return found;
  const of = (part: Expression) => shortestOf(e, part, rules, known);
  const node = e.node(expression);
  let length = 0;
  if (node.kind === "symbols") length = 1;
  else if (node.kind === "sequence") length = of(node.head) + of(node.tail);
  else if (node.kind === "alternatives") length = Math.min(...node.of.map(of));
  else if (node.kind === "repeat") length = node.min === 0 ? 0 : node.min * of(node.of);
  else if (node.kind === "rule") length = rules[node.rule] ?? Infinity;
  known.set(expression, length);
  return length;
}
