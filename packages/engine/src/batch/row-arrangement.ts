/**
 * Which trees of tokens stand in which rows of which microbatch. Two ways are tried and the cheaper
 * one is taken: one tree in each row, like lengths together; or several behind each other, each where
 * it first fits (first-fit decreasing). Sizes only: what the tokens are does not matter here.
 */
import { layerLinears } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";

/** One microbatch: rows of `length` tokens, each with the trees that stand in it. */
export type Arranged<T> = { readonly length: number; readonly rows: readonly (readonly T[])[] };

/** What a row costs by its length, in multiplications of one layer. */
export type RowCost = (length: number) => number;

/**
 * Products with weights grow with the tokens, attention with their square. Four blocks compute 5/8 of
 * T × T scores, and one multiplication there takes about 1.6 times that of a large product, softmax and
 * masks included (docs/evidence/appendix/engine.md): so T × T it is.
 */
export function rowCost(config: DecoderConfig): RowCost {
  const { layers, vocabularySize, width, heads, headSize } = config;
  const linears = layerLinears(config, 0).reduce(
    (sum, { inputSize, outputSize }) => sum + inputSize * outputSize,
    (vocabularySize * width) / layers,
  );
  return (length) => length * linears + 2 * heads * headSize * length ** 2;
}

/** @param maxTokens bound on the tokens of a microbatch; a larger single tree makes one of its own. */
export function arrangeRows<T extends { readonly size: number }>(
  trees: readonly T[],
  maxTokens: number,
  cost: RowCost,
): Arranged<T>[] {
  const sorted = trees.toSorted((a, b) => b.size - a.size);
  const [single, packed] = [oneToARow(sorted, maxTokens), firstFit(sorted, maxTokens)];
  const total = (arranged: readonly Arranged<T>[]): number =>
    arranged.reduce((sum, { length, rows }) => sum + rows.length * cost(length), 0);
  return total(packed) < total(single) ? packed : single;
}

function oneToARow<T extends { readonly size: number }>(
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

/** What would leave more than half of a row empty waits for a microbatch of shorter rows. */
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
