/** A decoder with one adapter on the kernels. Runs return synchronously. */
import type { DecoderConfig } from "@waggle/model";
import { resultOf, wantedTokens } from "../cpu/row-result.ts";
import type { DecoderCache, DecoderRow, DecoderSession, RowResult } from "../decoder-backend.ts";
import { assertRows } from "../run-limits.ts";
import type { RunLimits } from "../run-limits.ts";
import { rowStride } from "./float-rows.ts";
import type { FloatRows } from "./float-rows.ts";
import { KeyValuePages } from "./key-value-pages.ts";
import type { PagedSequence } from "./key-value-pages.ts";
import type { LowRank } from "./low-rank.ts";
import { MOST_TOKENS } from "./simd-decoder.ts";
import type { PlacedToken, SimdDecoder } from "./simd-decoder.ts";
import type { SimdMemory } from "./simd-memory.ts";
import { TOKEN_TILE } from "./weight-matrix.ts";

export type SimdSessionOptions = {
  readonly memory: SimdMemory;
  readonly decoder: SimdDecoder;
  readonly config: DecoderConfig;
  readonly adapter: LowRank | null;
  readonly limits: RunLimits;
  readonly onRelease: () => void;
};

/** Rows of logits that are computed at a time. */
const LOGIT_ROWS = 16;

export class SimdSession implements DecoderSession {
  readonly maxRunTokens: number;
  readonly maxRunScores: number;
  readonly maxRows: number;
  readonly #options: SimdSessionOptions;
  readonly #store: KeyValuePages;

  constructor(options: SimdSessionOptions) {
    this.maxRunTokens = options.limits.maxRunTokens;
    this.maxRunScores = options.limits.maxRunScores;
    this.maxRows = options.limits.maxRows;
    this.#options = options;
    this.#store = new KeyValuePages(options.memory, options.config);
  }

  get cacheBytes(): number {
    return this.#store.sizeBytes;
  }

  createCache(): DecoderCache {
    return this.#store.create();
  }

  fork(cache: DecoderCache, length: number): DecoderCache {
    return this.#store.fork(cache as PagedSequence, length);
  }

  run(rows: readonly DecoderRow[]): readonly RowResult[] {
    const { memory, config, limits } = this.#options;
    assertRows(rows, limits);
    const tokens: PlacedToken[] = [];
    const wanted: number[] = [];
    const firsts: number[] = [];
    for (const row of rows) {
      const sequence = row.cache as PagedSequence;
      firsts.push(wanted.length);
      for (const index of wantedTokens(row)) wanted.push(tokens.length + index);
      for (const [index, tokenId] of row.tokenIds.entries()) {
        tokens.push({ sequence, position: sequence.length + index, tokenId });
      }
      sequence.reserve(row.tokenIds.length);
    }
    const padded = Math.ceil(wanted.length / TOKEN_TILE) * TOKEN_TILE;
    const width = rowStride(config.width);
    const vocabulary = rowStride(config.vocabularySize);
    const logitBytes = Math.min(LOGIT_ROWS, padded) * vocabulary;
    const at = memory.allocate(padded * width + logitBytes);
    const outputs: FloatRows = { at, stride: width };
    const logits: FloatRows = { at: at + padded * width, stride: vocabulary };
    try {
      this.#read(tokens, wanted, outputs);
      for (const row of rows) (row.cache as PagedSequence).length += row.tokenIds.length;
      const run = this.#logitsOf(outputs, logits, wanted.length);
      return rows.map((row, index) => resultOf(row, run, firsts[index] as number));
    } finally {
      memory.free(at);
    }
  }

  async release(): Promise<void> {
    this.#store.free();
    this.#options.onRelease();
  }

  /** Reads tokens in parts and keeps the wanted ones' outputs. */
  #read(tokens: readonly PlacedToken[], wanted: readonly number[], outputs: FloatRows): void {
    const { memory, decoder, adapter } = this.#options;
    let kept = 0;
    for (let begin = 0; begin < tokens.length; begin += MOST_TOKENS) {
      const part = tokens.slice(begin, begin + MOST_TOKENS);
      const { at, stride } = decoder.read(part, { store: this.#store, adapter });
      for (; (wanted[kept] ?? Infinity) < begin + part.length; kept++) {
        const from = (at + ((wanted[kept] as number) - begin) * stride) / 4;
        const to = (outputs.at + kept * stride) / 4;
        memory.floats.copyWithin(to, from, from + stride / 4);
      }
    }
  }

  /** Computes logits when they are asked for, in order, some rows at a time. */
  #logitsOf(
    outputs: FloatRows,
    logits: FloatRows,
    count: number,
  ): { logits(index: number): Float32Array } {
    const { memory, decoder, config } = this.#options;
    let computed = 0;
    return {
      logits: (index) => {
        if (index >= computed) {
          const some = Math.min(LOGIT_ROWS, count - computed);
          const from = { at: outputs.at + computed * outputs.stride, stride: outputs.stride };
          decoder.logits(from, logits, some);
          computed += some;
        }
        const at = (logits.at + (index % LOGIT_ROWS) * logits.stride) / 4;
        return memory.floats.subarray(at, at + config.vocabularySize);
      },
    };
  }
}
