/**
 * The layout in which the kernels read quantized matrices: tiles of four rows, block by block, so
 * that a product reads memory in order. A block of a tile has the scales of its rows (float32), with
 * 4 bits their zero points (a byte each), then the rows' values. Rows are padded with zeros.
 */
import { BLOCK_SIZE, unpackedZeroPoints } from "@waggle/model";
import type { QuantizedMatrix } from "@waggle/model";

/** Rows of a tile. */
export const TILE_ROWS = 4;

/** A number of a split vector is `high · SPLIT_FACTOR + low`. */
export const SPLIT_FACTOR: number = 2 ** 15;

/** Bytes of a block of a split vector. */
export const SPLIT_BLOCK_BYTES: number = 4 * BLOCK_SIZE;

/** Offsets in bytes within a block of a tile. */
export type TileOffsets = {
  readonly scale: (row: number) => number;
  readonly zeroPoint: (row: number) => number;
  readonly values: (row: number) => number;
  readonly blockBytes: number;
};

export function tileOffsets(bits: 4 | 8): TileOffsets {
  const zeroPoints = 4 * TILE_ROWS;
  const values = zeroPoints + (bits === 4 ? TILE_ROWS : 0);
  const rowBytes = (BLOCK_SIZE * bits) / 8;
  return {
    scale: (row) => 4 * row,
    zeroPoint: (row) => zeroPoints + row,
    values: (row) => values + row * rowBytes,
    blockBytes: values + TILE_ROWS * rowBytes,
  };
}

/** Bytes of a matrix in tiles. */
export function tilesBytes(bits: 4 | 8, rows: number, blocks: number): number {
  return Math.ceil(rows / TILE_ROWS) * blocks * tileOffsets(bits).blockBytes;
}

/**
 * Writes rows as tiles.
 *
 * @param target - zeros, at least the tiles of these rows, at any offset of its buffer.
 */
export function writeTiles(matrix: QuantizedMatrix, target: Uint8Array): void {
  const { bits, rows, blocks, values, scales } = matrix;
  const offsets = tileOffsets(bits);
  const rowBytes = (BLOCK_SIZE * bits) / 8;
  const zeroPoints = bits === 4 ? unpackedZeroPoints(matrix) : null;
  const scaleBytes = new Uint8Array(scales.buffer, scales.byteOffset, scales.byteLength);
  for (let row = 0; row < rows; row++) {
    const inTile = row % TILE_ROWS;
    const tile = ((row - inTile) / TILE_ROWS) * blocks;
    for (let block = 0; block < blocks; block++) {
      const from = row * blocks + block;
      const to = (tile + block) * offsets.blockBytes;
      const scaleAt = to + offsets.scale(inTile);
      for (let i = 0; i < 4; i++) target[scaleAt + i] = scaleBytes[4 * from + i] as number;
      if (zeroPoints !== null) {
        target[to + offsets.zeroPoint(inTile)] = zeroPoints[from] as number;
      }
      const valuesAt = to + offsets.values(inTile);
      // 8 bits are stored with 128 added.
      const flip = bits === 8 ? 128 : 0;
      for (let i = 0; i < rowBytes; i++) {
        target[valuesAt + i] = (values[from * rowBytes + i] as number) ^ flip;
      }
    }
  }
}
