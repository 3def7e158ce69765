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
 * @param target - zeros, whole numbers of 32 bits, at least the tiles of these rows.
 */
export function writeTiles(matrix: QuantizedMatrix, target: Uint32Array): void {
  const { bits, rows, blocks, scales } = matrix;
  const offsets = tileOffsets(bits);
  const rowWords = (BLOCK_SIZE * bits) / 32;
  const values = toWords(matrix.values);
  const scaleWords = new Uint32Array(scales.buffer, scales.byteOffset, scales.length);
  const zeroPoints = bits === 4 ? unpackedZeroPoints(matrix) : null;
  // 8 bits are stored with 128 added.
  const flip = bits === 8 ? 0x8080_8080 : 0;
  for (let row = 0; row < rows; row++) {
    const inTile = row % TILE_ROWS;
    const tile = ((row - inTile) / TILE_ROWS) * blocks;
    for (let block = 0; block < blocks; block++) {
      const from = row * blocks + block;
      const to = ((tile + block) * offsets.blockBytes) / 4;
      target[to + offsets.scale(inTile) / 4] = scaleWords[from] as number;
      if (zeroPoints !== null) {
        const zero = (zeroPoints[from] as number) << (8 * inTile);
        target[to + offsets.zeroPoint(0) / 4] =
          (target[to + offsets.zeroPoint(0) / 4] as number) | zero;
      }
      const valuesAt = to + offsets.values(inTile) / 4;
      for (let i = 0; i < rowWords; i++) {
        target[valuesAt + i] = (values[from * rowWords + i] as number) ^ flip;
      }
    }
  }
}

function toWords(bytes: Uint8Array): Uint32Array {
  // Bytes read from a file may start anywhere.
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}
