/**
 * A policy whose turns are spoken by roles: one context, and before each turn the adapter of the role that
 * has it, or before each part of a call. What roles learn is decided elsewhere.
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

/** Of a policy that keeps adapters beside its versions. */
type SwitchableContext = PolicyContext & {
  /** Speaks with this adapter from now on; `null` = the policy's own version. */
  readonly activate: (adapter: string | null) => void;
};

export type Speakers = {
  /** Adapter of a role; `null` = the policy's own version. */
  readonly adapterOf: (role: string) => string | null;
  /** The role that begins the next turn. */
  readonly speaker: () => string;
  /** Where the two parts of a call are two roles'. */
  readonly divider?: CallDivider | undefined;
};

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
    // A grammar begins with its generation: what it masks cannot go on in the middle.
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
    // Another adapter's keys and values are read again: a change of speaker costs the context.
    if (wanted !== this.#active) switchable(this.context).activate(wanted);
    this.#active = wanted;
  }
}

/** @throws WaggleError `CAPABILITY_MISSING` */
function switchable(context: PolicyContext): SwitchableContext {
  if ("activate" in context) return context as SwitchableContext;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    "a policy must keep adapters beside its versions for roles to speak, got one that does not; act with that of @waggle/runtime",
  );
}
