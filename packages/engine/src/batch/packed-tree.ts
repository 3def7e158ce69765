/**
 * The tokens read for some sequences, as one tree in which shared prefixes appear once, and the rows
 * whose next token is asked for. A row predicts one token. Where several asked tokens follow the same
 * token, that token is read again for each further one, as a leaf to which no other token attends. So
 * rows are distinct, and outputs and gradients equal those of the sequences one by one.
 */
import type { TrainSequence } from "@waggle/protocol";
import { depthsOf, parentsOf } from "./sequence-tree.ts";

/** Token `token` of sequence `sequence`, whose outputs or derivatives are needed. */
export type AskedToken = { readonly sequence: number; readonly token: number };

/** The row at `place`, which predicts the next token of its askers. */
export type AskedRow = {
  readonly place: number;
  readonly target: number;
  readonly temperature: number;
  readonly keptTokenIds: readonly number[] | null;
  readonly candidateTokenIds: readonly number[] | null;
  /** They agree in all of the above and in their prefix, so outputs are equal and derivatives add up. */
  readonly askers: AskedToken[];
};

/** A sequence with the tokens of it that matter. */
export type ReadSequence = {
  readonly index: number;
  readonly sequence: TrainSequence;
  readonly parents: readonly number[];
  readonly positions: readonly number[];
  /** `[T]`: whether its outputs are asked for. */
  readonly isAsked: readonly boolean[];
  /** `[T]`: whether its values are asked for. */
  readonly isValued: readonly boolean[];
  /** `[T]`: whether a later token on its path is asked for, or its own values are. */
  readonly isRead: readonly boolean[];
};

/** Nothing predicts a first token, so it is never asked for, but it may have values. */
export function readSequence(
  sequence: TrainSequence,
  index: number,
  isAsked: (token: number) => boolean,
  isValueAsked: (token: number) => boolean,
): ReadSequence {
  const parents = parentsOf(sequence);
  const asked = parents.map((parent, token) => parent >= 0 && isAsked(token));
  const isValued = parents.map((_, token) => isValueAsked(token));
  const isRead = [...isValued];
  for (let token = parents.length - 1; token >= 0; token--) {
    const parent = parents[token] as number;
    if (parent >= 0 && (asked[token] || isRead[token])) isRead[parent] = true;
  }
  const positions = sequence.positions ?? depthsOf(parents);
  return { index, sequence, parents, positions, isAsked: asked, isValued, isRead };
}

const NONE = -1;

/** A place whose values are asked for, with the tokens that ask. */
export type ValuedPlace = { readonly place: number; readonly askers: AskedToken[] };

/** A tree that grows by one sequence at a time. */
export class PackedTree {
  readonly ids: number[] = [];
  readonly positions: number[] = [];
  /** Place of each token's parent, −1 for a root; less than its own place. */
  readonly parents: number[] = [];
  readonly rows: AskedRow[] = [];
  /** At most one entry per place. */
  readonly values: ValuedPlace[] = [];
  readonly #valueAt = new Map<number, ValuedPlace>();
  /** By place: its latest child, and the previous child of the same parent. */
  readonly #child: number[] = [];
  readonly #sibling: number[] = [];
  #lastRoot = NONE;
  /** By place: the rows that predict its next token. */
  readonly #rowsAfter: (AskedRow[] | undefined)[] = [];

  get size(): number {
    return this.ids.length;
  }

  /** Whether a path of the tree begins with the sequence's first token. */
  sharesBeginning({ sequence, positions }: ReadSequence): boolean {
    return this.#find(NONE, sequence.tokenIds[0] as number, positions[0] as number) !== NONE;
  }

  /** How many more tokens would be read with this sequence; for a tree, an upper bound. */
  growth(read: ReadSequence): number {
    const { sequence, parents, positions, isAsked, isRead } = read;
    const places: number[] = [];
    const ownRows = new Set<number>();
    let more = 0;
    for (const token of parents.keys()) {
      const parent = parents[token] as number;
      const before = parent < 0 ? NONE : (places[parent] as number);
      const isNew = parent >= 0 && before === NONE;
      if (isAsked[token]) {
        const rows = (isNew ? undefined : this.#rowsAfter[before]) ?? [];
        const isTaken = rows.length > 0 || ownRows.has(parent);
        if (isTaken && !rows.some((row) => isSame(row, sequence, token))) more++;
        ownRows.add(parent);
      }
      if (!isRead[token]) continue;
      const id = sequence.tokenIds[token] as number;
      const place = isNew ? NONE : this.#find(before, id, positions[token] as number);
      places[token] = place;
      if (place === NONE) more++;
    }
    return more;
  }

  add(read: ReadSequence): void {
    const { index, sequence, parents, positions, isAsked, isValued, isRead } = read;
    const places: number[] = [];
    for (const token of parents.keys()) {
      const parent = parents[token] as number;
      const before = parent < 0 ? NONE : (places[parent] as number);
      if (isAsked[token]) this.#ask(before, sequence, { sequence: index, token });
      if (!isRead[token]) continue;
      const id = sequence.tokenIds[token] as number;
      const position = positions[token] as number;
      const known = this.#find(before, id, position);
      const place = known === NONE ? this.#grow(before, id, position) : known;
      places[token] = place;
      if (isValued[token]) this.#askValues(place, { sequence: index, token });
    }
  }

  #askValues(place: number, asker: AskedToken): void {
    const known = this.#valueAt.get(place);
    if (known !== undefined) {
      known.askers.push(asker);
      return;
    }
    const value = { place, askers: [asker] };
    this.#valueAt.set(place, value);
    this.values.push(value);
  }

  #ask(before: number, sequence: TrainSequence, asker: AskedToken): void {
    const { token } = asker;
    const rows = (this.#rowsAfter[before] ??= []);
    const known = rows.find((row) => isSame(row, sequence, token));
    if (known !== undefined) {
      known.askers.push(asker);
      return;
    }
    const row: AskedRow = {
      place: rows.length === 0 ? before : this.#readAgain(before),
      target: sequence.tokenIds[token] as number,
      temperature: temperatureOf(sequence, token),
      keptTokenIds: sequence.keptTokenIds?.[token] ?? null,
      candidateTokenIds: sequence.candidateTokenIds?.[token] ?? null,
      askers: [asker],
    };
    rows.push(row);
    this.rows.push(row);
  }

  /** Adds a leaf that is never found as a child. */
  #readAgain(place: number): number {
    return this.#push(
      this.parents[place] as number,
      this.ids[place] as number,
      this.positions[place] as number,
    );
  }

  #grow(before: number, id: number, position: number): number {
    const place = this.#push(before, id, position);
    if (before === NONE) {
      this.#sibling[place] = this.#lastRoot;
      this.#lastRoot = place;
    } else {
      this.#sibling[place] = this.#child[before] as number;
      this.#child[before] = place;
    }
    return place;
  }

  #push(parent: number, id: number, position: number): number {
    this.parents.push(parent);
    this.ids.push(id);
    this.positions.push(position);
    this.#child.push(NONE);
    this.#sibling.push(NONE);
    return this.ids.length - 1;
  }

  #find(before: number, id: number, position: number): number {
    let place = before === NONE ? this.#lastRoot : (this.#child[before] as number);
    while (place !== NONE && (this.ids[place] !== id || this.positions[place] !== position)) {
      place = this.#sibling[place] as number;
    }
    return place;
  }
}

/** The temperature at which a token was sampled. */
export function temperatureOf({ temperatures = 1 }: TrainSequence, token: number): number {
  return typeof temperatures === "number" ? temperatures : (temperatures[token] as number);
}

/** Whether a row's outputs are also this token's, given the same prefix. */
function isSame(row: AskedRow, sequence: TrainSequence, token: number): boolean {
  return (
    row.target === sequence.tokenIds[token] &&
    row.temperature === temperatureOf(sequence, token) &&
    isSameList(row.keptTokenIds, sequence.keptTokenIds?.[token] ?? null) &&
    isSameList(row.candidateTokenIds, sequence.candidateTokenIds?.[token] ?? null)
  );
}

function isSameList(a: readonly number[] | null, b: readonly number[] | null): boolean {
  if (a === b) return true;
  return a !== null && b !== null && a.length === b.length && a.every((id, i) => id === b[i]);
}
