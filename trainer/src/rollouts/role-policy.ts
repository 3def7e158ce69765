/**
 * A policy whose turns are spoken by roles: one context, and before each turn the adapter of whoever has
 * it; or before each part of a call. Not an engine; what roles learn is none of its business.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import type { TurnPlace } from "@waggle/learning";
import type {
  GenerateOptions,
  PolicyContext,
  Sample,
  TaskReference,
  ToolResult,
} from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import type { Session } from "@waggle/runtime/node";
import { derivedSeed } from "./random.ts";
import type { CallDivider } from "./divided-calls.ts";
import type { ActingPolicy } from "./environment-rollout.ts";
import { joined } from "./swapping-policy.ts";

/** Of a policy that keeps adapters beside its versions. */
type RoleSession = PolicyContext & Pick<Session, "activate">;

/** Who speaks with which adapter. */
export type ActingRoles = {
  /** By role; the others speak with the policy's own version. */
  readonly adapters: ReadonlyMap<string, string>;
  /** Whose turn it is; absent = a rollout is whose the plan says. */
  readonly roleOf?: ((place: TurnPlace) => string) | undefined;
  /** Where the two parts of a call are two roles'; in the place of `roleOf`. */
  readonly divider?: CallDivider | undefined;
  /** Who rollouts held-out tasks; absent = the policy. */
  readonly deploys?: string | undefined;
};

/** What one rollout of roles is made with. */
type RoleRollout = { readonly policy: ActingPolicy; readonly spec: EnvironmentSpec };

/** @param role who has the rollout, where no rule says whose each turn is. */
export function roleRollout(
  { adapters, roleOf, divider }: ActingRoles,
  policy: ActingPolicy,
  spec: EnvironmentSpec,
  task: TaskReference,
  role: string,
): RoleRollout {
  let turn = 0;
  let results: readonly ToolResult[] = [];
  const adapterOf = (speaker: string): string | null => adapters.get(speaker) ?? null;
  const speaker = (): string => divider?.names ?? roleOf?.({ task, turn, results }) ?? role;
  return {
    policy: {
      baseModel: policy.baseModel,
      contextLength: policy.contextLength,
      vocabularySize: policy.vocabularySize,
      client: policy.client,
      get currentVersion() {
        return policy.currentVersion;
      },
      createContext: async () =>
        new RoleContext(await policy.createContext(), { adapterOf, speaker, divider }),
      score: (request) => policy.score(request),
      dispose: () => policy.dispose(),
    },
    spec: {
      ...spec,
      create: (reference) => {
        const instance = spec.create(reference);
        return {
          ...instance,
          environment: {
            task: instance.environment.task,
            observe: () => instance.environment.observe(),
            async step(action, signal) {
              const observation = await instance.environment.step(action, signal);
              turn += 1;
              results = observation.toolResults;
              return observation;
            },
          },
        };
      },
    },
  };
}

type Speakers = {
  readonly adapterOf: (speaker: string) => string | null;
  /** Who begins the next turn. */
  readonly speaker: () => string;
  readonly divider?: CallDivider | undefined;
};

class RoleContext implements PolicyContext {
  readonly #context: PolicyContext;
  readonly #speakers: Speakers;
  #active: string | null = null;

  constructor(context: PolicyContext, speakers: Speakers) {
    this.#context = context;
    this.#speakers = speakers;
  }

  get policyVersion(): number {
    return this.#context.policyVersion;
  }

  get tokenIds(): readonly number[] {
    return this.#context.tokenIds;
  }

  append(tokenIds: readonly number[]): void {
    this.#context.append(tokenIds);
  }

  async generate(options: GenerateOptions): Promise<Sample> {
    const { speaker, divider } = this.#speakers;
    this.#activate(speaker());
    // A grammar begins with its generation: what it masks cannot go on in the middle.
    if (divider === undefined || options.grammar !== undefined) {
      return this.#context.generate(options);
    }
    const { sampling, signal, maxTokens } = options;
    const named = new AbortController();
    const said: number[] = [];
    const first = await this.#context.generate({
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
    return joined(first, await this.#context.generate(rest));
  }

  #activate(speaker: string): void {
    const wanted = this.#speakers.adapterOf(speaker);
    // Another adapter's keys and values are read again: a change of speaker costs the context.
    if (wanted !== this.#active) switchable(this.#context).activate(wanted);
    this.#active = wanted;
  }

  adoptCurrentVersion(): void {
    this.#context.adoptCurrentVersion();
  }

  dispose(): void {
    this.#context.dispose();
  }
}

/** @throws WaggleError `CAPABILITY_MISSING` */
function switchable(context: PolicyContext): RoleSession {
  if ("activate" in context) return context as RoleSession;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    "a policy must keep adapters beside its versions for roles to speak, got one that does not; act with that of @waggle/runtime",
  );
}
