/** Inputs of every layer's graph besides weights and activations: rotary tables, masks, shapes. */
import { ropeTables } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import { causalView, treeView } from "../batch/attention-view.ts";
import type { QueryBlock } from "../batch/attention-view.ts";
import { nameIn } from "../graphs/causal-attention.ts";
import { shapeInputs } from "../graphs/decoder-layer.ts";
import type { Feed } from "../graphs/graph-matrix.ts";
import type { Microbatch } from "../batch/microbatch.ts";
import type { ResidentTensors } from "./resident-tensors.ts";

type Named = readonly (readonly [string, Feed])[];

/** The part of a microbatch that determines masks and rotary positions. */
type Layout = Pick<Microbatch, "batch" | "length" | "parents" | "positions">;

type Positions = { readonly feed: Feed; readonly rows: number };
type Rotary = { readonly rows: number; readonly forward: Named; readonly backward: Named };

/** Feeds of a layer without rotary embeddings: all tokens are at position 0, whose angle is 0. */
export function withoutRotation(feeds: Named): Named {
  return feeds.map(([name, feed]): Named[number] =>
    name === "positions"
      ? [name, { shape: feed.shape, data: new BigInt64Array(feed.data.length) }]
      : [name, feed],
  );
}

/** Caches the feeds of the last microbatch, because most batches have one shape. */
export class LayerFeeds {
  readonly #config: DecoderConfig;
  readonly #resident: ResidentTensors | null;
  /** Tables and masks currently kept on the device. */
  #kept: readonly Feed[] = [];
  #rotary: Rotary = { rows: 0, forward: [], backward: [] };
  /** Masks of plain sequences. */
  #causal: { readonly length: number; readonly blocks: readonly QueryBlock[] } | null = null;
  #counted: (Positions & { readonly batch: number; readonly length: number }) | null = null;
  /** Masks of a packed microbatch, which both passes need. */
  #packed: { readonly parents: Int32Array; readonly blocks: readonly QueryBlock[] } | null = null;

  /** @param resident tensors kept by the device. */
  constructor(config: DecoderConfig, resident: ResidentTensors | null) {
    this.#config = config;
    this.#resident = resident;
  }

  /** Feeds under the names of `declareLayerInputs`. */
  async of(layout: Layout, pass: "forward" | "backward", blockCount: number): Promise<Named> {
    const { batch, length } = layout;
    const blocks = this.#blocksOf(layout, blockCount);
    const shapes = Object.entries(shapeInputs(this.#config, batch, length, blocks)).map(
      ([name, shape]) =>
        [name, { shape: [shape.length], data: BigInt64Array.from(shape, BigInt) }] as const,
    );
    const positions = this.#positionsOf(layout);
    const rotary = this.#rotaryOf(positions.rows);
    await this.#keep([
      ...rotary.backward.map(([, feed]) => feed),
      ...blocks.map(({ mask }) => mask),
    ]);
    return [
      ...rotary[pass],
      ...blocks.map(({ mask }, block) => [nameIn(block)("mask"), mask] as const),
      ["positions", positions.feed],
      ...shapes,
    ];
  }

  /** Keeps these on the device, in place of the previous ones. */
  async #keep(feeds: readonly Feed[]): Promise<void> {
    if (this.#resident === null) return;
    const old = this.#kept.filter((feed) => !feeds.includes(feed));
    this.#kept = feeds;
    await this.#resident.drop(old);
    this.#resident.keep(feeds);
  }

  #blocksOf({ length, parents }: Layout, count: number): readonly QueryBlock[] {
    if (parents === null) {
      if (this.#causal?.length !== length || this.#causal.blocks.length !== count) {
        this.#causal = { length, blocks: causalView(length, count) };
      }
      return this.#causal.blocks;
    }
    if (this.#packed?.parents !== parents || this.#packed.blocks.length !== count) {
      this.#packed = { parents, blocks: treeView(parents, length, count) };
    }
    return this.#packed.blocks;
  }

  /** @returns also the number of rows of the rotary table that they need. */
  #positionsOf({ batch, length, positions }: Layout): Positions {
    const known = this.#counted;
    if (positions === null && known?.batch === batch && known.length === length) return known;
    const data = BigInt64Array.from({ length: batch * length }, (_, place) =>
      BigInt(positions === null ? place % length : (positions[place] as number)),
    );
    // the kernel needs a table at least as long as the row, whatever the positions
    const rows = positions?.reduce((most, position) => Math.max(most, position + 1), length);
    const created = { feed: { shape: [batch, length], data }, rows: rows ?? length };
    if (positions === null) this.#counted = { ...created, batch, length };
    return created;
  }

  /** A table for at least that many positions. */
  #rotaryOf(rows: number): Rotary {
    if (this.#rotary.rows < rows) {
      const { cosines, sines } = ropeTables(this.#config, rows);
      const shape = [rows, this.#config.headSize / 2];
      const forward: Named = [
        ["cosines", { shape, data: cosines }],
        ["sines", { shape, data: sines }],
      ];
      const negated = { shape, data: sines.map((sine) => -sine) };
      this.#rotary = { rows, forward, backward: [...forward, ["negatedSines", negated]] };
    }
    return this.#rotary;
  }
}
