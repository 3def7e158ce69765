/**
 * One growing context of a decoder policy: tokens, the cache of the ones read so far, and the
 * sampling loop. Pinned to the version it was created with.
 */
import type {
  PolicyContext,
  PolicyVersionId,
  Sample,
  GenerateOptions,
  SampleStopReason,
} from "@waggle/protocol";
import type { DecodeBatcher } from "./decode-batcher.ts";
import type { DecoderCache, DecoderSession } from "./decoder-session.ts";
import { createRandom } from "./random.ts";
import { assertGenerateOptions, disposedError, overlapError } from "./generate-options.ts";
import { sampleToken } from "./sampler.ts";
import type { SerialQueue } from "./serial-queue.ts";
import { assertTokenIds } from "./token-ids.ts";

/** One version while anything uses it. */
export type VersionSlot = {
  readonly version: PolicyVersionId;
  readonly session: DecoderSession;
  readonly batcher: DecodeBatcher;
  /** Contexts and scorings that use it, plus one while it is current. */
  users: number;
};

/** What a context needs of its policy. */
export interface ContextHost {
  readonly contextLength: number;
  readonly vocabularySize: number;
  readonly isDisposed: boolean;
  /** Runs of all contexts, one after the other. */
  readonly runs: SerialQueue;
  /** A test's seam, see `DecoderPolicyOptions`. */
  readonly keepsCacheOnAdoption: boolean;
  /** Awaited between tokens: lets an abort come in where runs do not yield to messages. */
  readonly pause?: (() => Promise<void> | void) | undefined;
  /** Takes the current version for a context. */
  pinCurrent(): VersionSlot;
  /** Gives a version back; the last user frees it. */
  unpin(slot: VersionSlot): Promise<void>;
}

export class DecoderContext implements PolicyContext {
  readonly #policy: ContextHost;
  readonly #tokenIds: number[] = [];
  #slot: VersionSlot;
  #cache: DecoderCache | null = null;
  /** Logits after the last token, where the cache holds all tokens. */
  #nextLogits: Float32Array | null = null;
  #isSampling = false;
  #isDisposed = false;

  constructor(policy: ContextHost) {
    this.#policy = policy;
    this.#slot = policy.pinCurrent();
  }

  get policyVersion(): PolicyVersionId {
    return this.#slot.version;
  }

  get tokenIds(): readonly number[] {
    return this.#tokenIds;
  }

  append(tokenIds: readonly number[]): void {
    this.#assertUsable();
    assertTokenIds(tokenIds, this.#policy.vocabularySize);
    for (const id of tokenIds) this.#tokenIds.push(id);
    if (tokenIds.length > 0) this.#nextLogits = null;
  }

  async generate(options: GenerateOptions): Promise<Sample> {
    this.#assertUsable();
    assertGenerateOptions(options, this.#tokenIds.length);
    const { batcher, session } = this.#slot;
    this.#isSampling = true;
    batcher.samplings++;
    try {
      return await this.#sampleLoop(options);
    } finally {
      this.#isSampling = false;
      batcher.samplings--;
      if (this.#cache !== null && !this.#isDisposed) this.#cache = session.detach(this.#cache);
      if (this.#isDisposed) this.#free();
    }
  }

  adoptCurrentVersion(): void {
    this.#assertUsable();
    const previous = this.#slot;
    this.#slot = this.#policy.pinCurrent();
    if (previous !== this.#slot && !this.#policy.keepsCacheOnAdoption) this.#dropCache();
    void this.#policy.unpin(previous);
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    // A run in flight still reads the cache; the sampling loop frees it when it ends.
    if (!this.#isSampling) this.#free();
  }

  async #sampleLoop(options: GenerateOptions): Promise<Sample> {
    const { sampling, maxTokens, signal, onToken } = options;
    const stops = new Set(options.stopTokenIds);
    const random = createRandom(sampling.seed);
    const isRestricted =
      sampling.topP < 1 || (sampling.topK > 0 && sampling.topK < this.#policy.vocabularySize);
    const tokenIds: number[] = [];
    const behaviorLogProbs: number[] = [];
    const rawLogProbs: number[] = [];
    const entropies: number[] = [];
    const keptTokenIds: (readonly number[] | null)[] = [];

    const stopReason = await (async (): Promise<SampleStopReason> => {
      for (;;) {
        if (signal?.aborted) return "aborted";
        if (tokenIds.length >= maxTokens) return "max-tokens";
        if (this.#tokenIds.length >= this.#policy.contextLength) return "context-overflow";
        const logits = await this.#prefill(signal);
        if (this.#isDisposed) throw disposedError();
        if (logits === null || signal?.aborted) return "aborted";
        const token = sampleToken(logits, sampling, random());
        this.#tokenIds.push(token.tokenId);
        this.#nextLogits = null;
        tokenIds.push(token.tokenId);
        behaviorLogProbs.push(token.behaviorLogProb);
        rawLogProbs.push(token.rawLogProb);
        entropies.push(token.entropy);
        keptTokenIds.push(token.keptTokenIds);
        onToken?.(token.tokenId);
        if (stops.has(token.tokenId)) return "stop-token";
        await this.#policy.pause?.();
      }
    })();

    const sample = { tokenIds, behaviorLogProbs, rawLogProbs, entropies, stopReason };
    return isRestricted ? { ...sample, keptTokenIds } : sample;
  }

  /** Reads what the cache lacks. @returns logits after the last token, `null` when aborted. */
  async #prefill(signal: AbortSignal | undefined): Promise<Float32Array | null> {
    const { session, batcher } = this.#slot;
    const { vocabularySize, runs } = this.#policy;
    while (this.#nextLogits === null) {
      if (signal?.aborted || this.#isDisposed) return null;
      const read = this.#cache?.length ?? 0;
      const chunk = this.#tokenIds.slice(read, read + session.maxRunTokens);
      const cache = this.#cache;
      this.#cache = null; // used up by the run, also when it fails
      const output =
        cache !== null && chunk.length === 1
          ? await batcher.decode(chunk[0] as number, cache)
          : await runs.run(() => session.run(chunk, cache));
      this.#cache = output.cache;
      if (output.cache.length === this.#tokenIds.length) {
        this.#nextLogits = output.logits.subarray((chunk.length - 1) * vocabularySize);
      }
    }
    return this.#nextLogits;
  }

  #dropCache(): void {
    this.#cache?.dispose();
    this.#cache = null;
    this.#nextLogits = null;
  }

  #free(): void {
    this.#dropCache();
    void this.#policy.unpin(this.#slot);
  }

  #assertUsable(): void {
    if (this.#isDisposed || this.#policy.isDisposed) throw disposedError();
    if (this.#isSampling) throw overlapError();
  }
}
