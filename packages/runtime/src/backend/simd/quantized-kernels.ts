/**
 * Products of a quantized matrix with one vector, and its expansion to float32 numbers for products
 * with several. `quantized-tiles.ts` has the layout of the matrix.
 *
 * The vector is split into two 16-bit numbers each, so that all products of a block are exact sums
 * of integers: more precise than float32, and 8 products take one instruction.
 */
import { wasm } from "@waggle/model";
import type { Instructions, KernelFunction } from "@waggle/model";
import {
  addInts,
  advance,
  dot,
  highNibbles,
  interleave,
  kernel,
  load,
  loadBytes,
  lowNibbles,
  multiply,
  plus,
  repeat,
  spread,
  spreadByte,
  spreadFloat,
  store,
  storeSum,
  subtractBytes,
  toFloats,
  widenBytes,
  widenInts,
  ZEROS,
} from "./vector-code.ts";
import type { MultiplyAdd } from "./vector-code.ts";
import { SPLIT_BLOCK_BYTES, SPLIT_FACTOR, TILE_ROWS, tileOffsets } from "./quantized-tiles.ts";
import type { TileOffsets } from "./quantized-tiles.ts";

const { f32, get, set } = wasm;

/** Vectors of 8 numbers in a block. */
const PARTS = [0, 1, 2, 3] as const;

/**
 * `multiply{bits}(tiles, x, y, count, blocks, unit)`: y = W · x for `count` tiles of rows, at least
 * one. x is split, see `split-vector.ts`; y is written as whole tiles.
 */
export function multiplyQuantized(bits: 4 | 8, multiplyAdd: MultiplyAdd): KernelFunction {
  const parameters = {
    tiles: "i32",
    x: "i32",
    y: "i32",
    count: "i32",
    blocks: "i32",
    unit: "f32",
  } as const;
  return kernel(`multiply${bits}`, parameters, (at, local) => {
    const offsets = tileOffsets(bits);
    const [place, left, part, highs, lows] = [
      local("i32"),
      local("i32"),
      local("v128"),
      local("v128"),
      local("v128"),
    ];
    const zero = local("v128");
    const rows = Array.from({ length: TILE_ROWS }, (_, row) => ({
      row,
      sum: local("v128"),
      high: local("v128"),
      low: local("v128"),
    }));
    type Row = (typeof rows)[number];
    const addPart = ({ high, low }: Row, index: number, values: Instructions): Instructions => {
      const [a, b] = [dot(get(part), get(highs)), dot(get(part), get(lows))];
      return [
        ...set(part, values),
        ...set(high, index === 0 ? a : addInts(get(high), a)),
        ...set(low, index === 0 ? b : addInts(get(low), b)),
      ];
    };
    const loadX = (index: number): Instructions => [
      ...set(highs, load(place, 32 * index)),
      ...set(lows, load(place, 32 * index + 16)),
    ];
    const bytes = PARTS.flatMap((index) => [
      ...loadX(index),
      ...rows.flatMap((row) =>
        addPart(row, index, loadBytes(at.tiles, offsets.values(row.row) + 8 * index)),
      ),
    ]);
    const halves = [local("v128"), local("v128")] as const;
    const nibbles = rows.flatMap((row) => [
      ...unpack(at.tiles, offsets, row.row, zero, halves),
      ...PARTS.flatMap((index) => [
        ...loadX(index),
        ...addPart(row, index, widenBytes(get(halves[index >> 1] as number), (index & 1) as 0 | 1)),
      ]),
    ]);
    const block = [
      ...(bits === 8 ? bytes : nibbles),
      ...rows.flatMap(({ row, sum, high, low }) => {
        const factor = spread(f32(SPLIT_FACTOR));
        const product = multiplyAdd(toFloats(get(high)), factor, toFloats(get(low)));
        const scale = spreadFloat(at.tiles, offsets.scale(row));
        return set(sum, multiplyAdd(product, scale, get(sum)));
      }),
      ...advance(at.tiles, offsets.blockBytes),
      ...advance(place, SPLIT_BLOCK_BYTES),
    ];
    return repeat(at.count, [
      ...rows.flatMap(({ sum }) => set(sum, ZEROS)),
      ...set(place, get(at.x)),
      ...set(left, get(at.blocks)),
      ...repeat(left, block),
      ...rows.flatMap(({ row, sum }) => storeSum(at.y, 4 * row, sum, at.unit)),
      ...advance(at.y, 4 * TILE_ROWS),
    ]);
  });
}

/**
 * `expand{bits}(tiles, to, stride, blocks)`: one tile as rows of float32 numbers, `stride` bytes
 * apart.
 */
export function expandQuantized(bits: 4 | 8): KernelFunction {
  const parameters = { tiles: "i32", to: "i32", stride: "i32", blocks: "i32" } as const;
  return kernel(`expand${bits}`, parameters, (at, local) => {
    const offsets = tileOffsets(bits);
    const [place, scale, zero, part] = [local("i32"), local("v128"), local("v128"), local("v128")];
    const halves = [local("v128"), local("v128")] as const;
    const rows = Array.from({ length: TILE_ROWS }, (_, row) => row);
    const expandRow = (row: number): Instructions => [
      ...set(scale, spreadFloat(at.tiles, offsets.scale(row))),
      ...(bits === 4 ? unpack(at.tiles, offsets, row, zero, halves) : []),
      ...PARTS.flatMap((index) => [
        ...set(
          part,
          bits === 8
            ? loadBytes(at.tiles, offsets.values(row) + 8 * index)
            : widenBytes(
                interleave(get(halves[0]), get(halves[1]), (index >> 1) as 0 | 1),
                (index & 1) as 0 | 1,
              ),
        ),
        ...([0, 1] as const).flatMap((half) =>
          store(
            place,
            32 * index + 16 * half,
            multiply(toFloats(widenInts(get(part), half)), get(scale)),
          ),
        ),
      ]),
      ...set(place, plus(get(place), get(at.stride))),
    ];
    return repeat(at.blocks, [
      ...set(place, get(at.to)),
      ...rows.flatMap(expandRow),
      ...advance(at.tiles, offsets.blockBytes),
      ...advance(at.to, 128),
    ]);
  });
}

/** Sets `halves` to a row's even and odd numbers less its zero point. Leaves nothing. */
function unpack(
  tiles: number,
  offsets: TileOffsets,
  row: number,
  zero: number,
  [even, odd]: readonly [number, number],
): Instructions {
  return [
    ...set(zero, spreadByte(tiles, offsets.zeroPoint(row))),
    ...set(odd, load(tiles, offsets.values(row))),
    ...set(even, subtractBytes(lowNibbles(get(odd)), get(zero))),
    ...set(odd, subtractBytes(highNibbles(get(odd)), get(zero))),
  ];
}
