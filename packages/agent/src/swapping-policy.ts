/**
 * A policy that moves running contexts to its newest version, at the next turn or in the middle of
 * a generation; the sample then records which version sampled which tokens. The prompt is encoded
 * again under the new version, so every log-prob belongs to the version it names. Not a trainer:
 * versions come from `setAdapter`.
 *
 * Source: partial rollouts across versions, Fu et al. 2025, "AReaL", arXiv:2505.24298 (generations
 * are interrupted by new weights).
 */
import { continuedBy } from "@waggle/learning";
import {
  derivedSeed,
  type GenerateOptions,
  type Policy,
  type PolicyContext,
  type Sample,
  type VersionSpan,
} from "@waggle/protocol";
import { ForwardingContext, forwardingPolicy } from "./forwarding-policy.ts";
import { joinedSample } from "./joined-sample.ts";

/** Where a rollout can switch to a newer version: nowhere, between two turns, or at any token. */
export type SwapPoint = "never" | "turn" | "token";

/** A policy whose version can be replaced while it runs. */
type ReplaceablePolicy = Policy & { setAdapter(...given: never[]): Promise<void> };

/** @returns a policy over the same weights; disposing it disposes them too */
export function swappingPolicy<P extends ReplaceablePolicy>(policy: P, at: SwapPoint): P {
  if (at === "never") return policy;
  const speaking = new Set<AbortController>();
  return forwardingPolicy(policy, {
    createContext: async () => {
      const context = await policy.createContext();
      return new SwappingContext(policy, context, at === "turn" ? null : speaking);
    },
    setAdapter: async (...given: never[]) => {
      await policy.setAdapter(...given);
      for (const interruption of speaking) interruption.abort();
    },
  });
}

class SwappingContext extends ForwardingContext {
  readonly #policy: Policy;
  /** The generations that a new version interrupts; `null` if it waits for the end of the turn. */
  readonly #speaking: Set<AbortController> | null;

  constructor(policy: Policy, context: PolicyContext, speaking: Set<AbortController> | null) {
    super(context);
    this.#policy = policy;
    this.#speaking = speaking;
  }

  override async generate(options: GenerateOptions): Promise<Sample> {
    this.#adopt();
    // Grammar state starts with a generation, so a constrained generation cannot continue midway.
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
        // With the same seed, the second piece would repeat the first piece's draws.
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
