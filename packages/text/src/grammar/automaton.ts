/**
 * Runs an expression symbol by symbol: a deterministic automaton over sets of continuations, built on demand.
 * Recursion is a stack within a continuation, so the number of states is unbounded only for recursive grammars.
 * For every state it also knows the shortest path to an accepting state.
 */
import type { Expression, Expressions } from "./expression.ts";

/** Number of a state. */
export type State = number;

/** The state from which nothing can match. */
export const DEAD: State = 0;

/** An expression followed by another continuation; 0 is the end. */
type Continuation = number;
const END: Continuation = 0;
const UNKNOWN = -1;
/** Upper bound of expression ids. A pair of a continuation and an expression must fit into 53 bits. */
const EXPRESSION_LIMIT = 2 ** 24;

type StateInfo = {
  /** Continuations that begin with a set of symbols. */
  readonly leaves: readonly Continuation[];
  readonly isAccepting: boolean;
  /** Number of symbols on the shortest path to an accepting state. */
  readonly shortest: number;
  /** `[alphabet]` next states; `UNKNOWN` until requested. */
  readonly next: Int32Array;
};

/** The automaton of one grammar. */
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

  /** The state after a symbol; `DEAD` if the symbol is not allowed. */
  step(state: State, symbol: number): State {
    const { next, leaves } = this.#states[state] as StateInfo;
    const known = next[symbol] as number;
    if (known !== UNKNOWN) return known;
    const tails: Continuation[] = [];
    // The range of symbols around this one that all leaves treat alike leads to the same state.
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

  /** Number of symbols on the shortest path to an accepting state; `Infinity` from `DEAD`. */
  shortestLength(state: State): number {
    return (this.#states[state] as StateInfo).shortest;
  }

  /**
   * The shortest path to an accepting state. Among several, the first in symbol order, so that any rest of it is
   * again the shortest path from there.
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

  /** Number of states created so far. */
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

  /** The state of all leaves that these continuations can begin with. */
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
      // A continuation that can never be completed is dropped.
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

/** Length of the shortest text of every rule: the least fixed point (Knuth 1977). */
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
