/**
 * Assigns trees of tokens to rows and microbatches by size. Tries two arrangements and takes the cheaper
 * one: one tree per row, sorted by length; or several trees per row, packed by first-fit decreasing.
 */
import { layerLinears } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";

/** One microbatch: rows of `length` tokens, each with the trees packed into it. */
export type Arranged<T> = { readonly length: number; readonly rows: readonly (readonly T[])[] };

/** Cost of a row by its length, in multiplications of one layer. */
export type RowCost = (length: number) => number;

/**
 * Products with weights grow linearly in tokens, attention quadratically. Four blocks compute 5/8 of the
 * T × T scores, and with softmax and masks a multiplication there takes about 1.6 times as long as in a
 * large product (docs/evidence/appendix/engine.md). The two factors cancel, so the cost is T × T.
 */
export function rowCost(config: DecoderConfig): RowCost {
  const { layers, vocabularySize, width, heads, headSize } = config;
  const linears = layerLinears(config, 0).reduce(
    (sum, { inputSize, outputSize }) => sum + inputSize * outputSize,
    (vocabularySize * width) / layers,
  );
  return (length) => length * linears + 2 * heads * headSize * length ** 2;
}

/** @param maxTokens limit on the tokens of a microbatch. A larger tree gets one of its own. */
export function arrangeRows<T extends { readonly size: number }>(
  trees: readonly T[],
  maxTokens: number,
  cost: RowCost,
): Arranged<T>[] {
  const sorted = trees.toSorted((a, b) => b.size - a.size);
  const [single, packed] = [oneTreePerRow(sorted, maxTokens), firstFit(sorted, maxTokens)];
  const total = (arranged: readonly Arranged<T>[]): number =>
    arranged.reduce((sum, { length, rows }) => sum + rows.length * cost(length), 0);
  return total(packed) < total(single) ? packed : single;
}

function oneTreePerRow<T extends { readonly size: number }>(
  sorted: readonly T[],
  maxTokens: number,
): Arranged<T>[] {
  const arranged: Arranged<T>[] = [];
  for (let start = 0; start < sorted.length;) {
    const length = sorted[start]?.size ?? 0;
    const rows = sorted.slice(start, start + rowsOf(length, maxTokens)).map((tree) => [tree]);
    arranged.push({ length, rows });
    start += rows.length;
  }
  return arranged;
}

/** A tree that would leave more than half of a row empty waits for a microbatch of shorter rows. */
function firstFit<T extends { readonly size: number }>(
  sorted: readonly T[],
  maxTokens: number,
): Arranged<T>[] {
  const arranged: Arranged<T>[] = [];
  let waiting = sorted;
  while (waiting.length > 0) {
    const length = waiting[0]?.size ?? 0;
    const rows: { free: number; readonly trees: T[] }[] = [];
    const left: T[] = [];
    for (const tree of waiting) {
      let row = rows.find(({ free }) => tree.size <= free);
      const mayOpen = rows.length < rowsOf(length, maxTokens) && 2 * tree.size > length;
      if (row === undefined && mayOpen) {
        row = { free: length, trees: [] };
        rows.push(row);
      }
      if (row === undefined) left.push(tree);
      else {
        row.trees.push(tree);
        row.free -= tree.size;
      }
    }
    arranged.push({ length, rows: rows.map(({ trees }) => trees) });
    waiting = left;
  }
  return arranged;
}

function rowsOf(length: number, maxTokens: number): number {
  return Math.max(1, Math.floor(maxTokens / length));
}
