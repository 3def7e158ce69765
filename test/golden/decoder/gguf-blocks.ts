/**
 * Numbers in ggml's block formats, rounded as llama.cpp's own quantizer does without an importance matrix. Test support and
 * benchmarks, not a converter.
 * Source: `quantize_row_q8_0_ref` and `quantize_row_q4_0_ref` of ggml.
 */
import { float32ToFloat16 } from "@waggle/model";

/** `f32`; `q8_0` and `q4_0` have a float16 scale for each block of 32. */
export type GgmlType = "f32" | "q8_0" | "q4_0";

/** ggml's codes of number formats. */
export const GGML_CODE: { readonly [type in GgmlType]: number } = { f32: 0, q4_0: 2, q8_0: 8 };

const BLOCK = 32;
const BLOCK_BYTES = { q8_0: 2 + BLOCK, q4_0: 2 + BLOCK / 2 } as const;

/** Size of so many numbers. */
export function ggmlBytes(type: GgmlType, count: number): number {
  return type === "f32" ? 4 * count : (count / BLOCK) * BLOCK_BYTES[type];
}

/** @param data - rows whose length is a multiple of 32, so that no block spans two. */
export function ggmlBlocks(type: GgmlType, data: Float32Array): Uint8Array {
  switch (type) {
    case "f32":
      return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    case "q8_0":
      return eightBits(data);
    case "q4_0":
      return fourBits(data);
  }
}

function eightBits(data: Float32Array): Uint8Array {
  const bytes = new Uint8Array(ggmlBytes("q8_0", data.length));
  for (let from = 0, at = 0; from < data.length; from += BLOCK) {
    let largest = 0;
    for (let i = from; i < from + BLOCK; i++) {
      largest = Math.max(largest, Math.abs(data[i] as number));
    }
    const scale = Math.fround(largest / 127);
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
    at = putScale(bytes, at, scale);
    for (let i = from; i < from + BLOCK; i++) {
      const units = Math.fround((data[i] as number) * inverse);
      // C's roundf: halves go away from zero.
      bytes[at++] = Math.sign(units) * Math.floor(Math.abs(units) + 0.5);
    }
  }
  return bytes;
}

/** The first 16 numbers of a block are the lower halves of its bytes. */
function fourBits(data: Float32Array): Uint8Array {
  const bytes = new Uint8Array(ggmlBytes("q4_0", data.length));
  for (let from = 0, at = 0; from < data.length; from += BLOCK) {
    let farthest = 0;
    for (let i = from; i < from + BLOCK; i++) {
      const value = data[i] as number;
      if (Math.abs(value) > Math.abs(farthest)) farthest = value;
    }
    const scale = Math.fround(farthest / -8);
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
    const units = (i: number): number =>
      Math.min(15, Math.trunc(Math.fround(Math.fround((data[i] as number) * inverse) + 8.5)));
    at = putScale(bytes, at, scale);
    for (let i = from; i < from + BLOCK / 2; i++) {
      bytes[at++] = units(i) | (units(i + BLOCK / 2) << 4);
    }
  }
  return bytes;
}

function putScale(bytes: Uint8Array, at: number, scale: number): number {
  const half = float32ToFloat16(scale);
  bytes[at] = half & 255;
  bytes[at + 1] = half >> 8;
  return at + 2;
}
