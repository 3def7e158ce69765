/**
 * What the scheduler needs of an execution back end: a decoder that reads tokens into caches which
 * grow in place, and says what was asked about them. It knows no conversation, no fairness and no
 * policy version. Numbers leave the device, logits need not.
 *
 * Everything may answer at once: a back end that computes on the calling thread returns values, not
 * promises, so a step costs no turn of the event loop.
 */
import type { Adapter } from "@waggle/model";
import type { SampledToken, SamplingDistribution, TokenScore } from "../sampler.ts";

export type Awaitable<T> = T | Promise<T>;

/** Keys and values of one sequence. Belongs to the session that made it. */
export interface DecoderCache {
  /** Tokens it holds. */
  readonly length: number;
  /**
   * Forgets all but the first `length` tokens; where a layer's state cannot go back (convolutions),
   * everything. What remains says `length`.
   */
  truncate(length: number): void;
  /** Frees it; a second call does nothing. */
  dispose(): void;
}

/** What is wanted of one row. */
export type RowOutput =
  /** Nothing: the tokens are read into the cache. */
  | { readonly kind: "none" }
  /** One token after the last, drawn by `uniform` in [0, 1). */
  | {
      readonly kind: "sample";
      readonly distribution: SamplingDistribution;
      readonly uniform: number;
      /** Bits of ids a grammar allows, see `GrammarMatcher.nextMask`; read during the call only. */
      readonly allowed: Uint32Array | null;
    }
  /** Numbers of tokens that are known: target s is the token after input s. */
  | {
      readonly kind: "score";
      /** `[S]`, −1 where nothing is asked. */
      readonly targets: readonly number[];
      readonly distribution: SamplingDistribution;
      /** `[S]` ids that could be sampled, `null` where all; absent = what top-k and top-p keep. */
      readonly kept?: readonly (readonly number[] | null)[] | undefined;
    };

export type DecoderRow = {
  readonly cache: DecoderCache;
  /** `[S]`, S ≥ 1: read after the cache, which then holds them too. */
  readonly tokenIds: readonly number[];
  readonly output: RowOutput;
};

/** The answer to one row: set as its output's kind says. */
export type RowResult = {
  readonly sampled: SampledToken | null;
  /** `[S]`, `null` where the target was −1. */
  readonly scores: readonly (TokenScore | null)[] | null;
};

/** A decoder with one adapter bound to it. Calls must not overlap. */
export interface DecoderSession {
  /** Most tokens of one row and run: what the back end computes rightly and in bounded memory. */
  readonly maxRunTokens: number;
  /** Most tokens of one run that may be scored: logits of a large vocabulary take more memory than runs. */
  readonly maxRunScores: number;
  /** Most rows of one run, 1 where the back end gains nothing by more. */
  readonly maxRows: number;
  /** An empty cache. Only this session may be given it. */
  createCache(): Awaitable<DecoderCache>;
  /**
   * A cache with the first `length` tokens of another, which stays as it is, or an empty one where a
   * layer's state cannot go back. Where the device can, both read the same memory.
   */
  fork(cache: DecoderCache, length: number): Awaitable<DecoderCache>;
  /**
   * Reads every row, in one run where all rows read one token or all caches are empty, else in
   * several. Rows must have different caches; they stay in place while the same rows come again.
   * After a failure the caches of these rows must be disposed.
   *
   * @param rows - `[B]`, 1 ≤ B ≤ `maxRows`, each of at most `maxRunTokens` tokens; of all of them, at
   *   most `maxRunScores` are scored.
   * @throws WaggleError `DEVICE_LOST` (retryable) when the device is gone with every cache on it,
   *   `OUT_OF_MEMORY` (retryable), `NON_FINITE_VALUE` for logits that are no numbers.
   */
  run(rows: readonly DecoderRow[]): Awaitable<readonly RowResult[]>;
  /** Frees what this adapter occupies. Caches are freed by their owners, before. */
  release(): Awaitable<void>;
}

/** Bytes a back end holds now, by what they are for. All 0 after `dispose`. */
export type BackendMemory = {
  readonly weights: number;
  readonly adapters: number;
  readonly caches: number;
  readonly scratch: number;
};

/** Opens sessions for adapters of one base model on one device. */
export interface DecoderBackend {
  /** Number format of the weights in the products. */
  readonly dtype: "f32" | "f16" | "int8" | "int4";
  /** Which kernels compute, with their version: `onnxruntime-web/1.30.0 wasm gqa in-place`. */
  readonly kernels: string;
  /**
   * @param scale - factor on the adapter's contribution, 1 = as trained.
   * @throws WaggleError `ADAPTER_INCOMPATIBLE` when the adapter does not fit the model.
   */
  open(adapter: Adapter | null, scale?: number): Promise<DecoderSession>;
  memory(): BackendMemory;
  dispose(): Promise<void>;
}
