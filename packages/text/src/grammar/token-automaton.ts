/**
 * An automaton over the tokens of one vocabulary: which tokens are allowed in a state, where each leads, and how
 * many tokens are needed to finish. Results depend only on the state and are cached, so masks do not depend on the
 * order of requests.
 */
import { DEAD } from "./automaton.ts";
import type { Automaton, State } from "./automaton.ts";
import { PLAIN_ASCII, tokenSet } from "./vocabulary.ts";
import type { TokenSet, TokenTrie, Vocabulary } from "./vocabulary.ts";

/** Second UTF-8 bytes that are not 80–BF, by first byte (Unicode, table 3-7). */
const SECOND_BYTES: { readonly [lead: number]: readonly [number, number] } = {
  0xe0: [0xa0, 0xbf],
  0xed: [0x80, 0x9f],
  0xf0: [0x90, 0xbf],
  0xf4: [0x80, 0x8f],
};

/** Tokens that lead to the same state. */
type Group = TokenSet & { readonly to: State };

/** Bounds on the number of tokens that a state needs to finish, including the stop token. */
type Need = { atLeast: number; atMost: number };

/** Computes masks and budgets for one grammar and vocabulary. */
export class TokenAutomaton {
  readonly #automaton: Automaton;
  readonly #vocabulary: Vocabulary;
  /** Whether the number of reachable states is finite, so that searching them ends. */
  readonly #isFinite: boolean;
  readonly #groups = new Map<State, readonly Group[]>();
  readonly #needs = new Map<State, Need>();
  readonly #afterPlain = new Map<State, State | null>();

  constructor(automaton: Automaton, vocabulary: Vocabulary, isFinite: boolean) {
    this.#automaton = automaton;
    this.#vocabulary = vocabulary;
    this.#isFinite = isFinite;
  }

  get start(): State {
    return this.#automaton.start;
  }

  isAccepting(state: State): boolean {
    return this.#automaton.isAccepting(state);
  }

  /** True if only a stop token is allowed. */
  isFinished(state: State): boolean {
    return this.groups(state).length === 0;
  }

  /** The state after a token; `DEAD` if the token is not allowed. */
  step(state: State, tokenId: number): State {
    let at = state;
    for (const symbol of this.#vocabulary.symbolsOf(tokenId) ?? [-1]) {
      at = symbol === -1 ? DEAD : this.#automaton.step(at, symbol);
      if (at === DEAD) return DEAD;
    }
    return at;
  }

  /**
   * Sets the bits of the tokens after which the text can be completed within `remaining - 1` tokens.
   *
   * @param remaining - tokens that may still be sampled, including the stop token.
   * @returns whether any token is allowed.
   */
  mask(state: State, remaining: number, into: Uint32Array): boolean {
    let any = false;
    for (const { to, ids, bits } of this.groups(state)) {
      if (!this.fits(to, remaining - 1)) continue;
      any = true;
      if (bits !== null) for (let i = 0; i < bits.length; i++) into[i]! |= bits[i]!;
      else for (const id of ids) into[id >> 5]! |= 1 << (id & 31);
    }
    return any;
  }

  /** Whether the text can be completed within this many tokens, including the stop token. */
  fits(state: State, tokens: number): boolean {
    // One token per byte is always possible.
    if (this.#automaton.shortestLength(state) + 1 <= tokens) return true;
    const need = this.#need(state);
    if (need.atMost <= tokens) return true;
    if (need.atLeast > tokens || !this.#isFinite) return false;
    const found = this.groups(state).some(({ to }) => this.fits(to, tokens - 1));
    if (found) need.atMost = tokens;
    else need.atLeast = tokens + 1;
    return found;
  }

  /** Number of tokens of the shortest completion, including the stop token. */
  shortestCompletion(state: State): number {
    let tokens = this.#need(state).atMost;
    while (this.#isFinite && this.fits(state, tokens - 1)) tokens--;
    return tokens;
  }

  /** Allowed tokens, grouped by the state they lead to, shortest completion first. */
  groups(state: State): readonly Group[] {
    const known = this.#groups.get(state);
    if (known !== undefined) return known;
    const tokensTo = new Map<State, number[]>();
    const { trie, plain } = this.#vocabulary;
    const byPlain = this.#plainGroups(state);
    this.#walk(state, byPlain === null ? trie : plain.others, (token, to) => {
      const tokens = tokensTo.get(to);
      if (tokens === undefined) tokensTo.set(to, [token]);
      else tokens.push(token);
    });
    const words = (this.#vocabulary.size + 31) >> 5;
    const length = (to: State) => this.#automaton.shortestLength(to);
    const groups: Group[] = Array.from(tokensTo, ([to, ids]) => ({ to, ...tokenSet(ids, words) }));
    groups.push(...(byPlain ?? []));
    groups.sort((a, b) => length(a.to) - length(b.to));
    this.#groups.set(state, groups);
    return groups;
  }

  /**
   * Groups for a state inside text, where most tokens are allowed: plain tokens are grouped by their number of
   * characters, if the next state depends on nothing else. `null` if it does.
   */
  #plainGroups(state: State): Group[] | null {
    const { bits, byLength } = this.#vocabulary.plain;
    const first = this.#stateAfterPlain(state);
    if (first === null || first === DEAD) return null;
    // Unlimited text: every plain token leads back to the same state.
    if (first === state) return [{ to: state, ids: new Int32Array(0), bits }];
    const states: State[] = [state];
    const groups: Group[] = [];
    for (const [length, tokens] of byLength) {
      while (states.length <= length) {
        const next = this.#stateAfterPlain(states.at(-1) as State);
        if (next === null) return null;
        states.push(next);
      }
      const to = states[length] as State;
      if (to !== DEAD) groups.push({ to, ...tokens });
    }
    return groups;
  }

  /** The state after any plain character; `null` if it depends on the character. */
  #stateAfterPlain(state: State): State | null {
    const known = this.#afterPlain.get(state);
    if (known !== undefined) return known;
    const to = this.#automaton.step(state, PLAIN_ASCII[0] as number);
    const result = this.#leadsTo(state, to) ? to : null;
    this.#afterPlain.set(state, result);
    return result;
  }

  #leadsTo(state: State, target: State): boolean {
    const step = (from: State, symbol: number) => this.#automaton.step(from, symbol);
    if (!PLAIN_ASCII.every((byte) => step(state, byte) === target)) return false;
    // Longer characters by their first byte. Few states follow, so each is checked once.
    const seen = new Set<string>();
    const arrives = (from: State, left: number, low: number, high: number): boolean => {
      const key = `${from},${left},${low},${high}`;
      if (seen.has(key)) return true;
      seen.add(key);
      for (let byte = low; byte <= high; byte++) {
        const to = step(from, byte);
        if (to === DEAD && target === DEAD) continue;
        if (left === 1 ? to !== target : to === DEAD || !arrives(to, left - 1, 0x80, 0xbf)) {
          return false;
        }
      }
      return true;
    };
    for (let lead = 0xc2; lead <= 0xf4; lead++) {
      const to = step(state, lead);
      const left = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
      const [low, high] = SECOND_BYTES[lead] ?? [0x80, 0xbf];
      if (to === DEAD && target === DEAD) continue;
      if (to === DEAD || !arrives(to, left, low, high)) return false;
    }
    return true;
  }

  #walk(state: State, trie: TokenTrie, found: (token: number, to: State) => void): void {
    const { symbols, depths, ends, tokens, twins, maxDepth } = trie;
    const path = new Int32Array(maxDepth + 1);
    path[0] = state;
    for (let node = 0; node < symbols.length;) {
      const depth = depths[node] as number;
      const to = this.#automaton.step(path[depth - 1] as State, symbols[node] as number);
      if (to === DEAD) {
        node = ends[node] as number;
        continue;
      }
      path[depth] = to;
      for (let token = tokens[node] as number; token !== -1; token = twins[token] as number) {
        found(token, to);
      }
      node++;
    }
  }

  #need(state: State): Need {
    const known = this.#needs.get(state);
    if (known !== undefined) return known;
    const { maxDepth } = this.#vocabulary.trie;
    const path = this.#automaton.shortestPath(state);
    const need = {
      atLeast: Math.ceil(path.length / maxDepth) + 1,
      atMost: this.#fewestTokens(path) + 1,
    };
    this.#needs.set(state, need);
    return need;
  }

  /** Smallest number of tokens that spell these symbols. */
  #fewestTokens(path: readonly number[]): number {
    const { symbols, ends, tokens } = this.#vocabulary.trie;
    const counts = new Float64Array(path.length + 1).fill(Infinity);
    counts[path.length] = 0;
    for (let from = path.length - 1; from >= 0; from--) {
      let node = 0;
      let end = symbols.length;
      for (let at = from; at < path.length; at++) {
        while (node < end && symbols[node] !== path[at]) node = ends[node] as number;
        if (node >= end) break;
        if (tokens[node] !== -1) {
          counts[from] = Math.min(counts[from]!, 1 + counts[at + 1]!);
        }
        end = ends[node] as number;
        node++;
      }
    }
    return counts[0] as number;
  }
}
