/** The matrices of an adapter in the kernels' memory: y += B · A · x for each linear. */
import { adapterGraphInputs, layerLinears, loraName } from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import { ADD_STEP } from "./kernel-steps.ts";
import { rowStride } from "./float-rows.ts";
import type { FloatRows } from "./float-rows.ts";
import type { SimdMemory } from "./simd-memory.ts";

/** Aᵀ `[in, r]` and Bᵀ `[r, out]`, which includes the adapter's scale. */
type Pair = { readonly a: FloatRows; readonly b: FloatRows; readonly inputSize: number };

export class LowRank {
  readonly sizeBytes: number;
  readonly #memory: SimdMemory;
  readonly #rank: number;
  readonly #pairs = new Map<string, Pair>();
  /** A · x of one token. */
  readonly #low: number;
  readonly #parts: number[] = [];

  /** @throws WaggleError `ADAPTER_INCOMPATIBLE` if the adapter does not fit the model. */
  constructor(memory: SimdMemory, config: DecoderConfig, adapter: Adapter) {
    this.#memory = memory;
    this.#rank = adapter.rank;
    const rank = Math.ceil(adapter.rank / ADD_STEP) * ADD_STEP;
    const inputs = adapterGraphInputs(config, adapter, rank);
    let sizeBytes = 0;
    const allocate = (bytes: number): number => {
      const at = memory.allocate(bytes);
      this.#parts.push(at);
      sizeBytes += bytes;
      return at;
    };
    const copy = (name: string, rows: number, columns: number): FloatRows => {
      const stride = rowStride(columns);
      const at = allocate(rows * stride);
      const data = inputs.get(name)?.data as Float32Array;
      for (let row = 0; row < rows; row++) {
        const numbers = data.subarray(row * columns, (row + 1) * columns);
        memory.floats.set(numbers, (at + row * stride) / 4);
      }
      return { at, stride };
    };
    try {
      this.#low = allocate(4 * rank);
      for (let layer = 0; layer < config.layers; layer++) {
        for (const { name, inputSize, outputSize } of layerLinears(config, layer)) {
          const a = copy(loraName(name, "A"), inputSize, rank);
          const b = copy(loraName(name, "B"), adapter.rank, outputSize);
          this.#pairs.set(name, { a, b, inputSize });
        }
      }
    } catch (error) {
      this.free();
      throw error;
    }
    this.sizeBytes = sizeBytes;
  }

  /** Adds a linear's part to y. */
  add(linear: string, x: FloatRows, y: FloatRows, tokens: number): void {
    const pair = this.#pairs.get(linear);
    if (pair === undefined) return;
    const { a, b, inputSize } = pair;
    const { kernels, floats } = this.#memory;
    const low = this.#low;
    const steps = Math.ceil(this.#rank / ADD_STEP);
    for (let token = 0; token < tokens; token++) {
      floats.fill(0, low / 4, low / 4 + steps * ADD_STEP);
      kernels.addRows(x.at + token * x.stride, a.at, a.stride, low, inputSize, steps);
      const to = y.at + token * y.stride;
      kernels.addRows(low, b.at, b.stride, to, this.#rank, b.stride / 4 / ADD_STEP);
    }
  }

  free(): void {
    for (const at of this.#parts.splice(0)) this.#memory.free(at);
  }
}
