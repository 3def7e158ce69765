/** What every layer's graph is fed besides weights and activations: rotary tables, masks, shapes. */
import { ropeTables } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import { attentionMasks, shapeInputs } from "./decoder-layer.ts";
import type { Feed } from "./graph-matrix.ts";

type Named = readonly (readonly [string, Feed])[];

/** Keeps the tables of the last length, as most batches have one. */
export class LayerFeeds {
  readonly #config: DecoderConfig;
  #length = 0;
  #blocks = 0;
  #tables: { readonly forward: Named; readonly backward: Named } = { forward: [], backward: [] };

  constructor(config: DecoderConfig) {
    this.#config = config;
  }

  /** Under the names of `declareLayerInputs`. */
  of(batch: number, length: number, pass: "forward" | "backward", blocks: number): Named {
    if (this.#length !== length || this.#blocks !== blocks) {
      this.#tables = this.#make(length, blocks);
      this.#length = length;
      this.#blocks = blocks;
    }
    const shapes = Object.entries(shapeInputs(this.#config, batch, length, blocks)).map(
      ([name, shape]) =>
        [name, { shape: [shape.length], data: BigInt64Array.from(shape, BigInt) }] as const,
    );
    return [...this.#tables[pass], ...shapes];
  }

  #make(length: number, blocks: number): { readonly forward: Named; readonly backward: Named } {
    const { cosines, sines } = ropeTables(this.#config, length);
    const shape = [length, this.#config.headSize / 2];
    const forward: Named = [
      ["cosines", { shape, data: cosines }],
      ["sines", { shape, data: sines }],
      ...attentionMasks(length, blocks),
    ];
    const negated = { shape, data: sines.map((sine) => -sine) };
    return { forward, backward: [...forward, ["negatedSines", negated]] };
  }
}
