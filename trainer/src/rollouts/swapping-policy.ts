/**
 * A policy whose contexts go on under its newest version: at their next turn, or at once, in the middle
 * of a generation, which then says who sampled which tokens. What was read is read again under the new
 * version, so every log-prob is that of the version that it names. Not a trainer: versions come from
 * `setAdapter`.
 *
 * Source: partial rollouts across versions, Fu et al. 2025, "AReaL", arXiv:2505.24298 (generations are
 * interrupted by new weights).
 */
import { ForwardingContext, forwardingPolicy, joinedSample } from "@waggle/agent";
import { continuedBy } from "@waggle/learning";
import type { GenerateOptions, PolicyContext, Sample, VersionSpan } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { derivedSeed } from "@waggle/protocol";
import type { ActingPolicy } from "./environment-rollout.ts";

/** Where a rollout may go on under a newer version: nowhere, between two turns, or at any token. */
export type SwapPoint = "never" | "turn" | "token";

export type SwappingPolicy = ActingPolicy & Pick<AdaptivePolicy, "setAdapter">;

/** @returns a policy over the same weights; disposing it disposes those. */
export function swappingPolicy(policy: SwappingPolicy, at: SwapPoint): SwappingPolicy {
  if (at === "never") return policy;
  const speaking = new Set<AbortController>();
  return forwardingPolicy(policy, {
    createContext: async () => {
      const context = await policy.createContext();
      return new SwappingContext(policy, context, at === "turn" ? null : speaking);
    },
    setAdapter: async (...given: Parameters<SwappingPolicy["setAdapter"]>) => {
      await policy.setAdapter(...given);
      for (const interruption of speaking) interruption.abort();
    },
  });
}

class SwappingContext extends ForwardingContext {
  readonly #policy: SwappingPolicy;
  /** What a new version interrupts; `null` where it waits for the turn's end. */
  readonly #speaking: Set<AbortController> | null;

  constructor(
    policy: SwappingPolicy,
    context: PolicyContext,
    speaking: Set<AbortController> | null,
  ) {
    super(context);
    this.#policy = policy;
    this.#speaking = speaking;
  }

  override async generate(options: GenerateOptions): Promise<Sample> {
    this.#adopt();
    // A grammar begins with its generation: what it masks cannot go on in the middle.
    if (this.#speaking === null || options.grammar !== undefined) {
      return super.generate(options);
    }
    let whole: Sample | null = null;
    let spans: VersionSpan[] = [];
    for (;;) {
      const start: number = whole?.tokenIds.length ?? 0;
      const piece = await this.#piece(options, start);
      const end = start + piece.tokenIds.length;
      if (end > start) spans = continuedBy(spans, { version: this.policyVersion, start, end });
      whole = whole === null ? piece : joinedSample(whole, piece);
      const isInterrupted = piece.stopReason === "aborted" && options.signal?.aborted !== true;
      if (!isInterrupted || end >= options.maxTokens) {
        const stopReason = isInterrupted ? "max-tokens" : piece.stopReason;
        return { ...whole, stopReason, ...(spans.length > 1 ? { versions: spans } : {}) };
      }
      this.#adopt();
    }
  }

  async #piece(options: GenerateOptions, start: number): Promise<Sample> {
    const interruption = new AbortController();
    this.#speaking?.add(interruption);
    const { sampling, signal, maxTokens } = options;
    try {
      return await super.generate({
        ...options,
        maxTokens: maxTokens - start,
        // The same draws again would repeat the first piece's luck.
        sampling: start === 0 ? sampling : { ...sampling, seed: derivedSeed(sampling.seed, start) },
        signal: signal ? AbortSignal.any([signal, interruption.signal]) : interruption.signal,
      });
    } finally {
      this.#speaking?.delete(interruption);
    }
  }

  #adopt(): void {
    if (this.policyVersion !== this.#policy.currentVersion) this.adoptCurrentVersion();
  }
}
