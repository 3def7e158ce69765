/**
 * A policy whose turns are sampled by different roles, each with its own adapter, in one context. A turn
 * with a tool call may be divided between two roles. How roles are trained is decided elsewhere.
 */
import {
  derivedSeed,
  type GenerateOptions,
  type Policy,
  type PolicyContext,
  type Sample,
  WaggleError,
} from "@waggle/protocol";
import type { CallDivider } from "./call-divider.ts";
import { ForwardingContext, forwardingPolicy } from "./forwarding-policy.ts";
import { joinedSample } from "./joined-sample.ts";

/** A context of a policy that holds several adapters besides its versions. */
type SwitchableContext = PolicyContext & {
  /** Samples with this adapter from now on; `null` = the policy's own version. */
  readonly activate: (adapter: string | null) => void;
};

/** Which role samples, and with which adapter. */
export type Speakers = {
  /** Adapter of a role; `null` = the policy's own version. */
  readonly adapterOf: (role: string) => string | null;
  /** The role that samples the next turn. */
  readonly speaker: () => string;
  /** Splits a call between two roles; absent = one role per turn. */
  readonly divider?: CallDivider | undefined;
};

/** A policy that activates the adapter of the current role before it samples. */
export function rolePolicy<P extends Policy>(policy: P, speakers: Speakers): P {
  return forwardingPolicy(policy, {
    createContext: async () => new RoleContext(await policy.createContext(), speakers),
  });
}

class RoleContext extends ForwardingContext {
  readonly #speakers: Speakers;
  #active: string | null = null;

  constructor(context: PolicyContext, speakers: Speakers) {
    super(context);
    this.#speakers = speakers;
  }

  override async generate(options: GenerateOptions): Promise<Sample> {
    const { speaker, divider } = this.#speakers;
    this.#activate(speaker());
    // A grammar starts with its generation and cannot continue in a second one, so the turn is not split.
    if (divider === undefined || options.grammar !== undefined) {
      return super.generate(options);
    }
    const { sampling, signal, maxTokens } = options;
    const named = new AbortController();
    const said: number[] = [];
    const first = await super.generate({
      ...options,
      signal: signal ? AbortSignal.any([signal, named.signal]) : named.signal,
      onToken: (id) => {
        options.onToken?.(id);
        said.push(id);
        if (divider.at(said) !== null) named.abort();
      },
    });
    const division = divider.at(first.tokenIds);
    const left = maxTokens - first.tokenIds.length;
    if (division === null || first.stopReason !== "aborted" || signal?.aborted === true) {
      return first;
    }
    if (left === 0) return { ...first, stopReason: "max-tokens" };
    this.#activate(division.role);
    const seed = derivedSeed(sampling.seed, first.tokenIds.length);
    const rest = { ...options, maxTokens: left, sampling: { ...sampling, seed } };
    return joinedSample(first, await super.generate(rest));
  }

  #activate(speaker: string): void {
    const wanted = this.#speakers.adapterOf(speaker);
    // Switching adapters drops the cache: the next generation prefills the whole context.
    if (wanted !== this.#active) switchable(this.context).activate(wanted);
    this.#active = wanted;
  }
}

/** @throws WaggleError `CAPABILITY_MISSING` */
function switchable(context: PolicyContext): SwitchableContext {
  if ("activate" in context) return context as SwitchableContext;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    "roles need a policy that can switch adapters, such as the one from @waggle/runtime",
  );
}
