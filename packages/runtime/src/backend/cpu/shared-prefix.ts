/**
 * Keys and values of a prefix that several sequences share, stored once and never changed. Keys are
 * transposed for the product with all queries. Reference-counted: freed after its last user.
 */
import { prefixNames } from "@waggle/model";
import type { CpuBuffer, CpuDevice, Operand } from "./cpu-device.ts";
import type { StateBlock } from "./state-block.ts";
import type { StateLayout } from "./state-layout.ts";

const FLOAT_BYTES = 4;

export class SharedPrefix {
  readonly length: number;
  readonly #parts: Part[] = [];
  readonly #onFree: (prefix: SharedPrefix) => void;
  #users = 0;

  /** Copies the first `length` positions of a row. States are f32 and all have positions. */
  constructor(
    device: CpuDevice,
    layouts: readonly StateLayout[],
    from: { readonly block: StateBlock; readonly row: number; readonly length: number },
    onFree: (prefix: SharedPrefix) => void,
  ) {
    this.length = from.length;
    this.#onFree = onFree;
    try {
      for (const [index, layout] of layouts.entries()) {
        const width = layout.innerBytes / FLOAT_BYTES;
        const count = layout.outer * from.length * width;
        const buffer = device.allocate(count * FLOAT_BYTES);
        const { layer, past } = layout.state;
        const names = prefixNames(layer);
        const isKey = past.endsWith(".key");
        const part: Part = {
          buffer,
          name: isKey ? names.key : names.value,
          heads: layout.outer,
          width,
          isTransposed: isKey,
        };
        this.#parts.push(part);
        const source = from.block.rowFloats(index, from.row);
        const target = buffer.floats(0, count);
        for (let head = 0; head < part.heads; head++) {
          const piece = source.subarray(head * from.block.capacity * width);
          this.#write(part, piece, target.subarray(head * from.length * width));
        }
      }
    } catch (error) {
      this.#free();
      throw error;
    }
  }

  get sizeBytes(): number {
    return this.#parts.reduce((sum, { buffer }) => sum + buffer.sizeBytes, 0);
  }

  get users(): number {
    return this.#users;
  }

  retain(): this {
    this.#users++;
    return this;
  }

  /** Gives up one reference; frees the memory with the last one. */
  release(): void {
    if (--this.#users > 0) return;
    this.#onFree(this);
    this.#free();
  }

  /** The inputs for the branch graph. */
  operands(): Operand[] {
    return this.#parts.map(({ name, buffer, heads, width, isTransposed }) => ({
      name,
      buffer,
      offset: 0,
      type: "f32",
      shape: isTransposed ? [1, heads, width, this.length] : [1, heads, this.length, width],
    }));
  }

  /** Writes the first `length` positions into a row. */
  copyTo(block: StateBlock, row: number, length: number): void {
    for (const [index, { buffer, heads, width, isTransposed }] of this.#parts.entries()) {
      const source = buffer.floats(0, heads * this.length * width);
      const target = block.rowFloats(index, row);
      for (let head = 0; head < heads; head++) {
        const from = source.subarray(head * this.length * width, (head + 1) * this.length * width);
        const to = target.subarray(head * block.capacity * width);
        if (!isTransposed) to.set(from.subarray(0, length * width));
        else transpose(from, { rows: width, columns: length, stride: this.length }, to, width);
      }
    }
  }

  /** @param from `[≥ P, D]`. @param to `[D, P]` for a key, `[P, D]` for a value. */
  #write({ width, isTransposed }: Part, from: Float32Array, to: Float32Array): void {
    if (!isTransposed) to.set(from.subarray(0, this.length * width));
    else transpose(from, { rows: this.length, columns: width, stride: width }, to, this.length);
  }

  #free(): void {
    for (const { buffer } of this.#parts) buffer.free();
  }
}

/** One state: `[heads, D, P]` or `[heads, P, D]`. */
type Part = {
  readonly buffer: CpuBuffer;
  readonly name: string;
  readonly heads: number;
  readonly width: number;
  readonly isTransposed: boolean;
};

/** Transposes the first `columns` numbers of rows of `stride` into rows of `targetStride`. */
function transpose(
  source: Float32Array,
  { rows, columns, stride }: { rows: number; columns: number; stride: number },
  target: Float32Array,
  targetStride: number,
): void {
  for (let column = 0; column < columns; column++) {
    const begin = column * targetStride;
    for (let row = 0; row < rows; row++) {
      target[begin + row] = source[row * stride + column] as number;
    }
  }
}
