/** The memory of the kernels' module, in parts that can be freed and reused. */
import { outOfMemory } from "../cpu/out-of-memory.ts";
import { startKernels } from "./kernels.ts";
import type { Kernels } from "./kernels.ts";

type FreePart = { at: number; bytes: number };

const WASM_PAGE = 65_536;
/** Parts are multiples of a cache line. */
const LINE = 64;

export class SimdMemory {
  readonly kernels: Kernels;
  /** All of memory. Renewed when memory grows, so do not keep it beyond an allocation. */
  floats: Float32Array;
  /** As `floats`. */
  words: Uint32Array;
  readonly #sizes = new Map<number, number>();
  /** By address; neighbors are joined. */
  readonly #free: FreePart[];

  /** @throws WaggleError `DEVICE_UNAVAILABLE` if the browser has no vector instructions. */
  constructor() {
    this.kernels = startKernels();
    const { buffer } = this.kernels.memory;
    this.floats = new Float32Array(buffer);
    this.words = new Uint32Array(buffer);
    this.#free = [{ at: 0, bytes: buffer.byteLength }];
  }

  /** @returns the address of zeros. @throws WaggleError `OUT_OF_MEMORY` (retryable). */
  allocate(sizeBytes: number): number {
    const bytes = Math.max(LINE, Math.ceil(sizeBytes / LINE) * LINE);
    let index = this.#free.findIndex((part) => part.bytes >= bytes);
    if (index === -1) index = this.#grow(bytes);
    const part = this.#free[index] as FreePart;
    const { at } = part;
    part.at += bytes;
    part.bytes -= bytes;
    if (part.bytes === 0) this.#free.splice(index, 1);
    this.#sizes.set(at, bytes);
    this.words.fill(0, at / 4, (at + bytes) / 4);
    return at;
  }

  free(at: number): void {
    const bytes = this.#sizes.get(at) as number;
    this.#sizes.delete(at);
    let index = this.#free.findIndex((part) => part.at > at);
    if (index === -1) index = this.#free.length;
    this.#free.splice(index, 0, { at, bytes });
    this.#join(index);
    if (index > 0) this.#join(index - 1);
  }

  /** Joins a free part with the next if they touch. */
  #join(index: number): void {
    const part = this.#free[index] as FreePart;
    const next = this.#free[index + 1];
    if (next === undefined || part.at + part.bytes !== next.at) return;
    part.bytes += next.bytes;
    this.#free.splice(index + 1, 1);
  }

  /** @returns the index of a free part with room for `bytes`. */
  #grow(bytes: number): number {
    const { memory } = this.kernels;
    const end = memory.buffer.byteLength;
    const last = this.#free.at(-1);
    const isLastFree = last !== undefined && last.at + last.bytes === end;
    const missing = bytes - (isLastFree ? last.bytes : 0);
    const grown = Math.ceil(missing / WASM_PAGE) * WASM_PAGE;
    try {
      memory.grow(grown / WASM_PAGE);
    } catch (cause) {
      throw outOfMemory("allocate", `${bytes} bytes refused: ${String(cause)}`);
    }
    this.floats = new Float32Array(memory.buffer);
    this.words = new Uint32Array(memory.buffer);
    if (isLastFree) last.bytes += grown;
    else this.#free.push({ at: end, bytes: grown });
    return this.#free.length - 1;
  }
}
