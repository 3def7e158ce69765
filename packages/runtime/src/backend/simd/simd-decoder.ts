/**
 * A decoder on the kernels: reads tokens of any sequences through all layers. Matrix products and
 * attention run in WebAssembly, the rest in JavaScript on the same memory.
 */
import { architectureOf, layerKind, layerLinears, ropeTables } from "@waggle/model";
import type { DecoderConfig, Linear } from "@waggle/model";
import { Attention } from "./attention.ts";
import type { DecoderWeights } from "./decoder-weights.ts";
import { rowStride } from "./float-rows.ts";
import type { FloatRows } from "./float-rows.ts";
import type { KeyValuePages, PagedSequence } from "./key-value-pages.ts";
import type { LowRank } from "./low-rank.ts";
import type { SimdMemory } from "./simd-memory.ts";
import { addBias, addTo, gated, rmsNorm, rotate } from "./vector-math.ts";
import type { WeightMatrix } from "./weight-matrix.ts";

/** Tokens that go through a layer together. More would need more memory and gain little. */
export const MOST_TOKENS = 64;

const EMBEDDING = "model.embed_tokens.weight";

/** A token to read, at its place in a sequence that has room for it. */
export type PlacedToken = {
  readonly sequence: PagedSequence;
  readonly position: number;
  readonly tokenId: number;
};

/** What belongs to one session. */
export type DecoderContext = {
  readonly store: KeyValuePages;
  readonly adapter: LowRank | null;
};

export class SimdDecoder {
  readonly scratchBytes: number;
  readonly #memory: SimdMemory;
  readonly #config: DecoderConfig;
  readonly #weights: DecoderWeights;
  readonly #rope: ReturnType<typeof ropeTables>;
  readonly #attention: Attention;
  readonly #rows: { readonly [name in RowsName]: FloatRows };

  constructor(
    memory: SimdMemory,
    config: DecoderConfig,
    weights: DecoderWeights,
    maxPositions: number,
  ) {
    this.#memory = memory;
    this.#config = config;
    this.#weights = weights;
    this.#rope = ropeTables(config, maxPositions);
    this.#attention = new Attention(memory, config, maxPositions);
    let bytes = weights.scratchBytes + this.#attention.sizeBytes;
    const rows = (columns: number): FloatRows => {
      const stride = rowStride(columns);
      bytes += MOST_TOKENS * stride;
      return { at: memory.allocate(MOST_TOKENS * stride), stride };
    };
    const { width, heads, keyValueHeads, headSize, feedForwardSize } = config;
    this.#rows = {
      residual: rows(width),
      normal: rows(width),
      output: rows(width),
      query: rows(heads * headSize),
      mixed: rows(heads * headSize),
      key: rows(keyValueHeads * headSize),
      value: rows(keyValueHeads * headSize),
      gate: rows(feedForwardSize),
      up: rows(feedForwardSize),
    };
    this.scratchBytes = bytes;
  }

  /**
   * Reads up to `MOST_TOKENS` tokens; those of one sequence are in order.
   *
   * @returns the normalized outputs `[tokens, C]`, valid until the next read.
   */
  read(tokens: readonly PlacedToken[], context: DecoderContext): FloatRows {
    const { width, layers } = this.#config;
    const { residual, normal, output } = this.#rows;
    const { mixerNorm, feedForwardNorm, finalNorm } = architectureOf(this.#config);
    const embedding = this.#matrix(EMBEDDING);
    for (const [index, { tokenId }] of tokens.entries()) {
      embedding.copyRow(tokenId, residual.at + index * residual.stride);
    }
    const addOutput = (): void =>
      this.#each(tokens, (floats, index) =>
        addTo(floats, rowAt(residual, index), rowAt(output, index), width),
      );
    for (let layer = 0; layer < layers; layer++) {
      this.#normalize(tokens, `model.layers.${layer}.${mixerNorm}.weight`);
      this.#attend(tokens, layer, context);
      addOutput();
      this.#normalize(tokens, `model.layers.${layer}.${feedForwardNorm}.weight`);
      this.#feedForward(tokens.length, layer, context);
      addOutput();
    }
    this.#normalize(tokens, `${finalNorm}.weight`);
    return normal;
  }

  /** Logits `[count, V]` of outputs of `read`. */
  logits(outputs: FloatRows, to: FloatRows, count: number): void {
    const { tiedEmbeddings } = this.#config;
    this.#matrix(tiedEmbeddings ? EMBEDDING : "lm_head.weight").multiply(outputs, to, count);
  }

  #attend(tokens: readonly PlacedToken[], layer: number, context: DecoderContext): void {
    const { heads, keyValueHeads } = this.#config;
    const { normal, query, key, value, mixed, output } = this.#rows;
    const [toQuery, toKey, toValue, toOutput] = this.#linears(layer);
    this.#linear(toQuery, normal, query, tokens.length, context);
    this.#linear(toKey, normal, key, tokens.length, context);
    this.#linear(toValue, normal, value, tokens.length, context);
    const { headNorms } = architectureOf(this.#config);
    this.#turn(tokens, layer, query, heads, headNorms?.query);
    this.#turn(tokens, layer, key, keyValueHeads, headNorms?.key);
    for (const [index, { sequence, position }] of tokens.entries()) {
      for (const [side, rows] of [key, value].entries()) {
        const place = { layer, side: side as 0 | 1, position };
        this.#attention.keep(context.store, sequence, place, rows.at + index * rows.stride);
      }
    }
    for (const [index, { sequence, position }] of tokens.entries()) {
      const [from, to] = [query.at + index * query.stride, mixed.at + index * mixed.stride];
      this.#attention.attend(context.store, sequence, layer, from, to, position + 1);
    }
    this.#linear(toOutput, mixed, output, tokens.length, context);
  }

  /** Normalizes heads if the type does so, then rotates them. */
  #turn(
    tokens: readonly PlacedToken[],
    layer: number,
    rows: FloatRows,
    heads: number,
    norm: string | undefined,
  ): void {
    const { headSize, rmsNormEpsilon } = this.#config;
    const weight = norm === undefined ? null : this.#vector(`${attentionOf(layer)}.${norm}.weight`);
    const isRotated = layerKind(this.#config, layer) === "attention";
    const half = headSize / 2;
    this.#each(tokens, (floats, index, { position }) => {
      for (let head = 0; head < heads; head++) {
        const at = rowAt(rows, index) + head * headSize;
        if (weight !== null) rmsNorm(floats, at, at, weight, rmsNormEpsilon);
        if (isRotated) rotate(floats, at, this.#rope, position * half, half);
      }
    });
  }

  #feedForward(count: number, layer: number, context: DecoderContext): void {
    const { normal, gate, up, output } = this.#rows;
    const [toGate, toUp, toOutput] = this.#linears(layer).slice(-3) as [Linear, Linear, Linear];
    this.#linear(toGate, normal, gate, count, context);
    this.#linear(toUp, normal, up, count, context);
    for (let index = 0; index < count; index++) {
      const { floats } = this.#memory;
      gated(floats, rowAt(gate, index), rowAt(up, index), this.#config.feedForwardSize);
    }
    this.#linear(toOutput, gate, output, count, context);
  }

  #linear(
    { name, hasBias }: Linear,
    x: FloatRows,
    y: FloatRows,
    count: number,
    { adapter }: DecoderContext,
  ): void {
    this.#matrix(`${name}.weight`).multiply(x, y, count);
    if (hasBias === true) {
      const bias = this.#vector(`${name}.bias`);
      for (let index = 0; index < count; index++) {
        addBias(this.#memory.floats, rowAt(y, index), bias);
      }
    }
    adapter?.add(name, x, y, count);
  }

  #normalize(tokens: readonly PlacedToken[], name: string): void {
    const { residual, normal } = this.#rows;
    const weight = this.#vector(name);
    this.#each(tokens, (floats, index) => {
      const [from, to] = [rowAt(residual, index), rowAt(normal, index)];
      rmsNorm(floats, from, to, weight, this.#config.rmsNormEpsilon);
    });
  }

  #each(
    tokens: readonly PlacedToken[],
    visit: (floats: Float32Array, index: number, token: PlacedToken) => void,
  ): void {
    const { floats } = this.#memory;
    for (const [index, token] of tokens.entries()) visit(floats, index, token);
  }

  #linears(layer: number): readonly [Linear, Linear, Linear, Linear, ...Linear[]] {
    return layerLinears(this.#config, layer) as [Linear, Linear, Linear, Linear, ...Linear[]];
  }

  #matrix(name: string): WeightMatrix {
    return this.#weights.matrices.get(name) as WeightMatrix;
  }

  #vector(name: string): Float32Array {
    return this.#weights.vectors.get(name) as Float32Array;
  }
}

/** Intermediate results of the tokens of one read. */
type RowsName =
  | "residual"
  | "normal"
  | "output"
  | "query"
  | "mixed"
  | "key"
  | "value"
  | "gate"
  | "up";

/** Index of a row's first number. */
function rowAt({ at, stride }: FloatRows, index: number): number {
  return (at + index * stride) / 4;
}

function attentionOf(layer: number): string {
  return `model.layers.${layer}.self_attn`;
}
