/**
 * Policies whose turns come from elsewhere: fully scripted ones, and ones that hand some turns to a
 * demonstrator or a person. Tokens that were not sampled get log-probs of 0 as a placeholder; losses on
 * given tokens do not read them.
 */
import type {
  ClientDescription,
  GenerateOptions,
  Policy,
  PolicyContext,
  Sample,
} from "@waggle/protocol";
import { ForwardingContext, forwardingPolicy } from "./forwarding-policy.ts";

/** Client description recorded for scripted rollouts. */
export const SCRIPTED_CLIENT: ClientDescription = {
  build: "0",
  backend: "scripted",
  device: "none",
  crossOriginIsolated: false,
};

/**
 * A policy whose every turn is scripted.
 *
 * @param speak - returns the tokens of the next turn, or `null` when there are no more: the rollout is aborted.
 * @param contextLength - maximum number of tokens in a context; longer turns are cut.
 */
export function scriptedPolicy(
  speak: () => readonly number[] | null,
  contextLength: number,
): Policy {
  return {
    baseModel: "0".repeat(64),
    contextLength,
    vocabularySize: Number.MAX_SAFE_INTEGER,
    currentVersion: 0,
    createContext: async (): Promise<PolicyContext> => {
      const tokenIds: number[] = [];
      // A loop, because spreading a very long list into `push` would overflow the stack.
      const append = (more: readonly number[]): void => {
        for (const id of more) tokenIds.push(id);
      };
      return {
        policyVersion: 0,
        tokenIds,
        append,
        generate: async (): Promise<Sample> => {
          const all = speak();
          if (all === null) return given([], "aborted");
          const said = all.slice(0, contextLength - tokenIds.length);
          append(said);
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
 * A policy that lets the caller supply some of its turns.
 *
 * @param speak - called at each turn. Returns the turn's tokens, or `null` to let the policy sample.
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

/** Wraps tokens that were not sampled. */
function given(tokenIds: readonly number[], stopReason: Sample["stopReason"]): Sample {
  const zeros = tokenIds.map(() => 0);
  return { tokenIds, behaviorLogProbs: zeros, rawLogProbs: zeros, entropies: zeros, stopReason };
}
