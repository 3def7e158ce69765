/**
 * What the policy needs of an execution back end: a decoder that reads tokens after a cache and
 * gives logits and a longer cache. It knows no sampling, no version and no conversation.
 */
import type { Adapter } from "@waggle/model";

/** Keys and values of the tokens read so far. Belongs to the session that made it. */
export interface DecoderCache {
  /** Tokens it holds. */
  readonly length: number;
  /** Frees it; a second call does nothing. */
  dispose(): void;
}

export type DecoderOutput = {
  /** `[S, V]` row-major: row s predicts the token after input s. Owned by the caller. */
  readonly logits: Float32Array;
  readonly cache: DecoderCache;
};

/** A decoder with one adapter bound to it. Runs must not overlap. */
export interface DecoderSession {
  /** Most tokens of one run: what the back end computes rightly and in bounded memory. */
  readonly maxRunTokens: number;
  /**
   * Reads `tokenIds` after `cache`. The cache that was passed is used up, also when the run fails.
   *
   * @param tokenIds - `[S]`, 1 ≤ S ≤ `maxRunTokens`.
   */
  run(tokenIds: readonly number[], cache: DecoderCache | null): Promise<DecoderOutput>;
  /** Most rows of one `decodeRows`, 1 where the back end gains nothing by more. */
  readonly maxRows: number;
  /**
   * Reads one token each after several caches, which are used up. Each output has logits `[1, V]`.
   *
   * @param rows - `[B]`, 1 ≤ B ≤ `maxRows`.
   */
  decodeRows(
    rows: readonly { readonly tokenId: number; readonly cache: DecoderCache }[],
  ): Promise<DecoderOutput[]>;
  /**
   * The same cache in memory of its own: after `decodeRows`, rows share theirs. For a cache that
   * waits while others go on. The one that was passed is used up.
   */
  detach(cache: DecoderCache): DecoderCache;
  /**
   * Reads whole sequences side by side, without a cache.
   *
   * @param rows - `[B]` sequences of at most `maxRunTokens` tokens; shorter ones are padded.
   * @returns `[B, S, V]` with S the longest row; what stands after a row's end is meaningless.
   */
  runRows(rows: readonly (readonly number[])[]): Promise<Float32Array>;
  /** Frees what this adapter occupies. Caches are freed by their owners. */
  release(): Promise<void>;
}

/** Opens sessions for adapters of one base model on one device. */
export interface DecoderBackend {
  /** @throws WaggleError `ADAPTER_INCOMPATIBLE` when the adapter does not fit the model. */
  open(adapter: Adapter | null): Promise<DecoderSession>;
  dispose(): Promise<void>;
}
