/**
 * The interface between the scheduler and an execution backend: a decoder that reads tokens into
 * caches, which grow in place, and returns the requested outputs. It does not know conversations,
 * fairness or policy versions. Sampled tokens and scores leave the device; logits need not.
 *
 * Every result may be synchronous: a backend that computes on the calling thread returns values
 * instead of promises, so that a step costs no turn of the event loop.
 */
import type { Adapter } from "@waggle/model";
import type { SampledToken, SamplingDistribution, TokenScore } from "../sampler.ts";

export type Awaitable<T> = T | Promise<T>;

/** Keys and values of one sequence. Belongs to the session that created it. */
export interface DecoderCache {
  /** Number of tokens in it. */
  readonly length: number;
  /**
   * Drops all but the first `length` tokens or, if a layer's state cannot be truncated
   * (convolutions), all tokens. Afterwards `length` says how many remain.
   */
  truncate(length: number): void;
  /** Frees it. A second call does nothing. */
  dispose(): void;
}

/** The requested output of one row. */
export type RowOutput =
  /** None: tokens are only read into the cache. */
  | { readonly kind: "none" }
  /** One token after the last, drawn by `uniform` in [0, 1). */
  | {
      readonly kind: "sample";
      readonly distribution: SamplingDistribution;
      readonly uniform: number;
      /**
       * Bits of ids that a grammar allows, see `GrammarMatcher.nextMask`. Only read during the
       * call.
       */
      readonly allowed: Uint32Array | null;
    }
  /** Scores of known tokens: target s is the token after input s. */
  | {
      readonly kind: "score";
      /** `[S]`, −1 for no score. */
      readonly targets: readonly number[];
      readonly distribution: SamplingDistribution;
      /** `[S]` ids that could be sampled, `null` for all. Absent: those that top-k and top-p keep. */
      readonly kept?: readonly (readonly number[] | null)[] | undefined;
      /** `[S]`, asks for the `drawInterval` of each score. Backends that sample on a GPU ignore it. */
      readonly drawnAmong?: readonly (readonly number[] | null)[] | undefined;
    };

export type DecoderRow = {
  readonly cache: DecoderCache;
  /** `[S]`, S ≥ 1: appended to the cache. */
  readonly tokenIds: readonly number[];
  readonly output: RowOutput;
};

/** The result of one row; which members are set depends on the output's kind. */
export type RowResult = {
  readonly sampled: SampledToken | null;
  /** `[S]`, `null` where the target was −1. */
  readonly scores: readonly (TokenScore | null)[] | null;
};

/** A decoder with one adapter bound to it. Calls must not overlap. */
export interface DecoderSession {
  /** Maximum tokens per row and run: what the backend computes correctly and in limited memory. */
  readonly maxRunTokens: number;
  /** Maximum scored tokens per run: logits of a large vocabulary take more memory than runs. */
  readonly maxRunScores: number;
  /** Maximum rows per run; 1 if the backend gains nothing from more. */
  readonly maxRows: number;
  /** An empty cache, only for this session. */
  createCache(): Awaitable<DecoderCache>;
  /**
   * A cache with the first `length` tokens of another, which does not change. Empty if a layer's
   * state cannot be truncated. If the device can, both read the same memory.
   */
  fork(cache: DecoderCache, length: number): Awaitable<DecoderCache>;
  /**
   * Reads all rows: in one run if every row reads one token or all caches are empty, otherwise in
   * several. Rows must have different caches, which stay in place while the same rows repeat. After
   * a failure, the caches of these rows must be disposed of.
   *
   * @param rows - `[B]`, 1 ≤ B ≤ `maxRows`, with at most `maxRunTokens` tokens each, and at most
   *   `maxRunScores` scored tokens in total.
   * @throws WaggleError `DEVICE_LOST` (retryable) if the device is gone with every cache on it,
   *   `OUT_OF_MEMORY` (retryable), `NON_FINITE_VALUE` for logits that are NaN.
   */
  run(rows: readonly DecoderRow[]): Awaitable<readonly RowResult[]>;
  /** Frees this adapter's memory. Owners must dispose of caches before. */
  release(): Awaitable<void>;
}

/** Bytes that a backend holds now, by use. All 0 after `dispose`. */
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
  /** Name and version of the kernels: `onnxruntime-web/1.30.0 wasm gqa in-place`. */
  readonly kernels: string;
  /**
   * @param scale - factor for the adapter's contribution, 1 = as trained.
   * @throws WaggleError `ADAPTER_INCOMPATIBLE` if the adapter does not fit the model.
   */
  open(adapter: Adapter | null, scale?: number): Promise<DecoderSession>;
  memory(): BackendMemory;
  dispose(): Promise<void>;
}
