/** What every layer's graph is fed besides weights and activations: rotary tables, mask, shapes. */
import { ropeTables } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import { shapeInputs } from "./decoder-layer.ts";
import type { Feed } from "./graph-matrix.ts";

/** Large enough that exp(−MASKED) is 0 and small enough that products with it stay finite in f32. */
export const MASKED = 1e9;

type Named = readonly (readonly [string, Feed])[];

/** Keeps the tables of the last length, as most batches have one. */
export class LayerFeeds {
  readonly #config: DecoderConfig;
  #length = 0;
  #tables: { readonly forward: Named; readonly backward: Named } = { forward: [], backward: [] };

  constructor(config: DecoderConfig) {
    this.#config = config;
  }

  /** Under the names of `declareLayerInputs`. */
  of(batch: number, length: number, pass: "forward" | "backward"): Named {
    if (this.#length !== length) {
      this.#tables = this.#make(length);
      this.#length = length;
    }
    const shapes = Object.entries(shapeInputs(this.#config, batch, length)).map(
      ([name, shape]) =>
        [name, { shape: [shape.length], data: BigInt64Array.from(shape, BigInt) }] as const,
    );
    return [...this.#tables[pass], ...shapes];
  }

  #make(length: number): { readonly forward: Named; readonly backward: Named } {
    const { cosines, sines } = ropeTables(this.#config, length);
    const mask = new Float32Array(length * length);
    for (let query = 0; query < length; query++) {
      mask.fill(-MASKED, query * length + query + 1, (query + 1) * length);
    }
    const shape = [length, this.#config.headSize / 2];
    const forward: Named = [
      ["cosines", { shape, data: cosines }],
      ["sines", { shape, data: sines }],
      ["mask", { shape: [length, length], data: mask }],
    ];
    const negated = { shape, data: sines.map((sine) => -sine) };
    return { forward, backward: [...forward, ["negatedSines", negated]] };
  }
}
