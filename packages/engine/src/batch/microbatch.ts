/**
 * Turns a batch of sequences of any length into microbatches for the graphs. Shared prefixes are read
 * once, short sequences share rows, and only rows that predict an asked token (or need a value) are
 * kept. No token attends to padding, so padding changes no result.
 */
import type { DecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { TrainBatch } from "@waggle/protocol";
import { checkSequence } from "./batch-checks.ts";
import { readSequence } from "./packed-tree.ts";
import type { AskedToken, PackedTree } from "./packed-tree.ts";
import { arrangeRows, rowCost } from "./row-arrangement.ts";
import type { Arranged } from "./row-arrangement.ts";
import { shareBeginnings } from "./shared-beginnings.ts";

export type Microbatch = {
  /** Number of sequences B and input tokens T of each, padding included. */
  readonly batch: number;
  readonly length: number;
  /** i32 `[B·T]` input ids, 0 where padded. */
  readonly ids: Int32Array;
  /**
   * i32 `[B·T]` place within its row of each token's parent, −1 for a root and for padding; null where
   * every row is one plain sequence.
   */
  readonly parents: Int32Array | null;
  /** i32 `[B·T]` positions; null where they equal the place within the row. */
  readonly positions: Int32Array | null;
  /**
   * `[K]` distinct rows of `[B·T]` whose hidden states are needed: first the P that predict asked
   * tokens, then those that only need values.
   */
  readonly rows: Int32Array;
  /** `[P]` ids of the asked tokens. */
  readonly targets: Int32Array;
  /** `[P]` the asked tokens of each row: several where sequences share the row. */
  readonly asked: readonly (readonly AskedToken[])[];
  /** Tokens whose values are asked for; null without any. */
  readonly values: {
    /** `[n]` places in `rows` of these tokens. */
    readonly rows: Int32Array;
    /** `[n]` the tokens: several where sequences share a row. */
    readonly asked: readonly (readonly AskedToken[])[];
  } | null;
  /** `[P]` 1/τ, or null where all temperatures are 1 and all supports full. */
  readonly inverseTemperatures: Float32Array | null;
  /** Kept ids of each row, or null where no row has a kept set. */
  readonly keptTokenIds: readonly (readonly number[] | null)[] | null;
  /** Candidates of each row, or null where no row has any. */
  readonly candidateTokenIds: readonly (readonly number[] | null)[] | null;
};

/** Sequence length that an engine's memory plan assumes, where the context is long enough. */
export const USUAL_LENGTH = 512;

/** Which tokens of a sequence are asked for. The first token never is, except for values. */
export type AskedRule = (sequence: number, token: number) => boolean;

/**
 * @param maxTokens limit on B·T of a microbatch. A longer sequence gets a microbatch of its own.
 * @throws WaggleError `INVALID_ARGUMENT` on ids outside the vocabulary, temperatures that are not
 *   positive or an empty kept set; `SHAPE_MISMATCH` on arrays whose length differs from the tokens';
 *   `CONTEXT_OVERFLOW` on a sequence longer than the model's context. Also throws what `checkTree` does.
 */
export function packMicrobatches(
  batch: TrainBatch,
  model: DecoderConfig,
  maxTokens: number,
  isAsked: AskedRule,
  isValueAsked: AskedRule = () => false,
): Microbatch[] {
  const reads = batch.sequences
    .map((sequence, index) => {
      checkSequence(sequence, index, model);
      return readSequence(
        sequence,
        index,
        (token) => isAsked(index, token),
        (token) => isValueAsked(index, token),
      );
    })
    .filter((read) => read.isRead.includes(true));
  const cost = rowCost(model);
  const trees = shareBeginnings(reads, maxTreeTokens(model, maxTokens), cost);
  return arrangeRows(trees, maxTokens, cost).map(toMicrobatch);
}

/** Visits every asked token with its row, which other tokens may share. */
export function forEachAsked(
  { asked }: Microbatch,
  visit: (asker: AskedToken, row: number) => void,
): void {
  for (const [row, askers] of asked.entries()) for (const asker of askers) visit(asker, row);
}

/** Whether the taken token of row p could have been sampled there. */
export function isTakenKept({ keptTokenIds, targets }: Microbatch, row: number): boolean {
  const kept = keptTokenIds?.[row];
  return kept === undefined || kept === null || kept.includes(targets[row] as number);
}

/**
 * log 0 has no gradient, so a token outside its kept set cannot be learned from.
 * @throws WaggleError `INVALID_ARGUMENT` naming the first such token.
 */
export function checkTakenKept(
  microbatch: Microbatch,
  logProb: readonly Float32Array[] | undefined,
): void {
  forEachAsked(microbatch, ({ sequence, token }, row) => {
    if ((logProb?.[sequence]?.[token] ?? 0) === 0 || isTakenKept(microbatch, row)) return;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `id ${microbatch.targets[row]} at token ${token} of sequence ${sequence} has a logProb derivative but is not in its kept set; set the derivative to 0`,
    );
  });
}

/** Limits a tree so that its T × T scores take no more memory than a microbatch of usual lengths. */
function maxTreeTokens({ contextLength }: DecoderConfig, maxTokens: number): number {
  const usual = Math.min(contextLength, USUAL_LENGTH);
  return Math.min(maxTokens, Math.floor(Math.sqrt(maxTokens * usual)));
}

function toMicrobatch({ length, rows: treesOfRow }: Arranged<PackedTree>): Microbatch {
  const count = treesOfRow.flat().reduce((sum, tree) => sum + tree.rows.length, 0);
  const batch = treesOfRow.length;
  const ids = new Int32Array(batch * length);
  const parents = new Int32Array(batch * length).fill(-1);
  const positions = new Int32Array(batch * length);
  const rows: number[] = [];
  const targets = new Int32Array(count);
  const inverseTemperatures = new Float32Array(count);
  const kept: (readonly number[] | null)[] = [];
  const candidates: (readonly number[] | null)[] = [];
  const asked: (readonly AskedToken[])[] = [];
  const valued: { readonly row: number; readonly askers: readonly AskedToken[] }[] = [];
  treesOfRow.forEach((trees, rowIndex) => {
    let start = 0;
    for (const tree of trees) {
      const begin = rowIndex * length + start;
      ids.set(tree.ids, begin);
      positions.set(tree.positions, begin);
      for (const [place, parent] of tree.parents.entries()) {
        parents[begin + place] = parent < 0 ? -1 : start + parent;
      }
      for (const askedRow of tree.rows) {
        const row = asked.length;
        rows.push(begin + askedRow.place);
        targets[row] = askedRow.target;
        inverseTemperatures[row] = 1 / askedRow.temperature;
        kept.push(askedRow.keptTokenIds);
        candidates.push(askedRow.candidateTokenIds);
        asked.push(askedRow.askers);
      }
      for (const { place, askers } of tree.values) valued.push({ row: begin + place, askers });
      start += tree.size;
    }
  });
  const values = valued.length === 0 ? null : placeValues(valued, rows);
  const isMasked = kept.some((list) => list !== null);
  const isTempered = isMasked || inverseTemperatures.some((value) => value !== 1);
  const isPlain = treesOfRow.every((trees) => trees.length === 1 && isChain(trees[0]));
  const isInOrder = treesOfRow.every((trees) => trees.length === 1 && countsUp(trees[0]));
  return {
    batch,
    length,
    ids,
    parents: isPlain ? null : parents,
    positions: isInOrder ? null : positions,
    rows: Int32Array.from(rows),
    targets,
    asked,
    values,
    inverseTemperatures: isTempered ? inverseTemperatures : null,
    keptTokenIds: isMasked ? kept : null,
    candidateTokenIds: candidates.some((list) => list !== null) ? candidates : null,
  };
}

/** @param rows of the asked tokens; rows needed only for values are appended. */
function placeValues(
  valued: readonly { readonly row: number; readonly askers: readonly AskedToken[] }[],
  rows: number[],
): Microbatch["values"] {
  const known = new Map(rows.map((row, place) => [row, place]));
  return {
    rows: Int32Array.from(valued, ({ row }) => known.get(row) ?? rows.push(row) - 1),
    asked: valued.map(({ askers }) => askers),
  };
}

function isChain(tree: PackedTree | undefined): boolean {
  return tree?.parents.every((parent, place) => parent === place - 1) ?? false;
}

function countsUp(tree: PackedTree | undefined): boolean {
  return tree?.positions.every((position, place) => position === place) ?? false;
}
