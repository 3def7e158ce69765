/** Products of float32 matrices, and weighted sums of rows. */
import { wasm } from "@waggle/model";
import type { Instructions, KernelFunction } from "@waggle/model";
import { ADD_STEP, FLOAT_STEP } from "./kernel-steps.ts";
import {
  advance,
  kernel,
  load,
  plus,
  repeat,
  spreadFloat,
  store,
  storeSum,
  times,
  ZEROS,
} from "./vector-code.ts";
import type { MultiplyAdd } from "./vector-code.ts";

const { get, i32, set } = wasm;

/**
 * `multiply{tokens}x{rows}(x, xStride, w, wStride, y, yStride, steps, tokenTiles, rowTiles)`: y[t][r]
 * = x[t] · w[r] for `tokens` · `tokenTiles` and `rows` · `rowTiles`, each at least one tile. Strides
 * are in bytes, `steps` in `FLOAT_STEP` numbers. A tile's sums are in registers.
 */
export function multiplyFloats(
  tokens: number,
  rows: number,
  multiplyAdd: MultiplyAdd,
): KernelFunction {
  const parameters = {
    x: "i32",
    xStride: "i32",
    w: "i32",
    wStride: "i32",
    y: "i32",
    yStride: "i32",
    steps: "i32",
    tokenTiles: "i32",
    rowTiles: "i32",
  } as const;
  return kernel(`multiply${tokens}x${rows}`, parameters, (at, local) => {
    const many = (count: number, type: "i32" | "v128"): number[] =>
      Array.from({ length: count }, () => local(type));
    const [xs, ws, ys] = [many(tokens, "i32"), many(rows, "i32"), many(tokens, "i32")];
    const [w, x] = [many(rows, "v128"), local("v128")];
    const sums = xs.map(() => many(rows, "v128"));
    const [left, rowsLeft, nextW] = [local("i32"), local("i32"), local("i32")];
    /** Addresses one stride apart. Leaves nothing. */
    const spaced = (places: readonly number[], from: Instructions, stride: number): Instructions =>
      places.flatMap((place, index) =>
        set(place, index === 0 ? from : plus(get(places[index - 1] as number), get(stride))),
      );
    const addAt = (offset: number): Instructions => [
      ...ws.flatMap((place, row) => set(w[row] as number, load(place, offset))),
      ...xs.flatMap((place, token) => [
        ...set(x, load(place, offset)),
        ...w.flatMap((vector, row) => {
          const sum = sums[token]?.[row] as number;
          return set(sum, multiplyAdd(get(x), get(vector), get(sum)));
        }),
      ]),
    ];
    const nextStep = (places: readonly number[]): Instructions =>
      places.flatMap((place) => advance(place, 4 * FLOAT_STEP));
    const step = [...addAt(0), ...addAt(16), ...nextStep(xs), ...nextStep(ws)];
    const rowTile = [
      ...spaced(ws, get(nextW), at.wStride),
      ...set(nextW, plus(get(nextW), times(get(at.wStride), i32(rows)))),
      ...spaced(xs, get(at.x), at.xStride),
      ...sums.flat().flatMap((sum) => set(sum, ZEROS)),
      ...set(left, get(at.steps)),
      ...repeat(left, step),
      ...ys.flatMap((place, token) =>
        (sums[token] ?? []).flatMap((sum, row) => storeSum(place, 4 * row, sum)),
      ),
      ...ys.flatMap((place) => advance(place, 4 * rows)),
    ];
    return repeat(at.tokenTiles, [
      ...spaced(ys, get(at.y), at.yStride),
      ...set(nextW, get(at.w)),
      ...set(rowsLeft, get(at.rowTiles)),
      ...repeat(rowsLeft, rowTile),
      ...advance(at.x, times(get(at.xStride), i32(tokens))),
      ...advance(at.y, times(get(at.yStride), i32(tokens))),
    ]);
  });
}

/**
 * `addRows(factors, rows, rowStride, to, count, steps)`: adds `count` rows, at least one, each times
 * its factor, to the numbers at `to`. `steps` is in `ADD_STEP` numbers.
 */
export function addRows(multiplyAdd: MultiplyAdd): KernelFunction {
  const parameters = {
    factors: "i32",
    rows: "i32",
    rowStride: "i32",
    to: "i32",
    count: "i32",
    steps: "i32",
  } as const;
  return kernel("addRows", parameters, (at, local) => {
    const [row, factor, left, scale] = [local("i32"), local("i32"), local("i32"), local("v128")];
    const sums = Array.from({ length: ADD_STEP / 4 }, () => local("v128"));
    return repeat(at.steps, [
      ...sums.flatMap((sum, index) => set(sum, load(at.to, 16 * index))),
      ...set(row, get(at.rows)),
      ...set(factor, get(at.factors)),
      ...set(left, get(at.count)),
      ...repeat(left, [
        ...set(scale, spreadFloat(factor, 0)),
        ...sums.flatMap((sum, index) =>
          set(sum, multiplyAdd(load(row, 16 * index), get(scale), get(sum))),
        ),
        ...advance(row, get(at.rowStride)),
        ...advance(factor, 4),
      ]),
      ...sums.flatMap((sum, index) => store(at.to, 16 * index, get(sum))),
      ...advance(at.rows, 4 * ADD_STEP),
      ...advance(at.to, 4 * ADD_STEP),
    ]);
  });
}
