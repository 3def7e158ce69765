/**
 * Policies that say what they are given, and policies that somebody else may speak for: a demonstrator, a
 * person who takes over. What was not sampled has log-probs of 0 that mean nothing; losses on given tokens do
 * not read them.
 */
import type {
  ClientDescription,
  GenerateOptions,
  Policy,
  PolicyContext,
  Sample,
} from "@waggle/protocol";
import { ForwardingContext, forwardingPolicy } from "./forwarding-policy.ts";

/** What the record of a scripted rollout says of its client. */
export const SCRIPTED_CLIENT: ClientDescription = {
  build: "0",
  backend: "scripted",
  device: "none",
  crossOriginIsolated: false,
};

/**
 * A policy whose every turn is scripted.
 *
 * @param speak - tokens of the next turn.
 * @param contextLength - tokens that a context may have; what does not fit is cut.
 */
export function scriptedPolicy(speak: () => readonly number[], contextLength: number): Policy {
  return {
    baseModel: "0".repeat(64),
    contextLength,
    vocabularySize: Number.MAX_SAFE_INTEGER,
    currentVersion: 0,
    createContext: async (): Promise<PolicyContext> => {
      const tokenIds: number[] = [];
      return {
        policyVersion: 0,
        tokenIds,
        append: (more) => void tokenIds.push(...more),
        generate: async (): Promise<Sample> => {
          const all = speak();
          const said = all.slice(0, contextLength - tokenIds.length);
          tokenIds.push(...said);
          return given(said, said.length < all.length ? "max-tokens" : "stop-token");
        },
        adoptCurrentVersion: () => {},
        dispose: () => {},
      };
    },
    score: ({ tokenIds }) => {
      const zeros = tokenIds.map(() => 0);
      return Promise.resolve({ behaviorLogProbs: zeros, rawLogProbs: zeros, entropies: zeros });
    },
    dispose: () => Promise.resolve(),
  };
}

/**
 * A policy that hands turns over.
 *
 * @param speak - asked at each turn: its tokens, or `null` for the policy's own.
 */
export function handedOverPolicy<P extends Policy>(
  policy: P,
  speak: () => readonly number[] | null,
): P {
  return forwardingPolicy(policy, {
    createContext: async () => new HandedOverContext(await policy.createContext(), speak),
  });
}

class HandedOverContext extends ForwardingContext {
  readonly #speak: () => readonly number[] | null;

  constructor(context: PolicyContext, speak: () => readonly number[] | null) {
    super(context);
    this.#speak = speak;
  }

  override async generate(options: GenerateOptions): Promise<Sample> {
    const tokenIds = this.#speak();
    if (tokenIds === null) return super.generate(options);
    this.append(tokenIds);
    for (const tokenId of tokenIds) options.onToken?.(tokenId);
    return given(tokenIds, "stop-token");
  }
}

/** Tokens that nobody sampled. */
function given(tokenIds: readonly number[], stopReason: Sample["stopReason"]): Sample {
  const zeros = tokenIds.map(() => 0);
  return { tokenIds, behaviorLogProbs: zeros, rawLogProbs: zeros, entropies: zeros, stopReason };
}
