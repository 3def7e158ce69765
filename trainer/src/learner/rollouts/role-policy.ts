/**
 * A policy whose turns are spoken by roles: one context, and before each turn the adapter of whoever has
 * it. Not an engine; what roles learn is none of its business.
 */
import type { TaskFamily } from "@waggle/environments";
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
import type { ActingPolicy } from "./family-attempt.ts";

/** Of a policy that keeps adapters beside its versions. */
type RoleSession = PolicyContext & Pick<Session, "activate">;

/** Who speaks with which adapter. */
export type ActingRoles = {
  /** By role; the others speak with the policy's own version. */
  readonly adapters: ReadonlyMap<string, string>;
  /** Whose turn it is; absent = an attempt is whose the plan says. */
  readonly roleOf?: ((place: TurnPlace) => string) | undefined;
  /** Who attempts held-out tasks; absent = the policy. */
  readonly deploys?: string | undefined;
};

/** What one attempt of roles is made with. */
type RoleAttempt = { readonly policy: ActingPolicy; readonly family: TaskFamily };

/** @param role who has the attempt, where no rule says whose each turn is. */
export function roleAttempt(
  { adapters, roleOf }: ActingRoles,
  policy: ActingPolicy,
  family: TaskFamily,
  task: TaskReference,
  role: string,
): RoleAttempt {
  let turn = 0;
  let results: readonly ToolResult[] = [];
  const adapter = (): string | null =>
    adapters.get(roleOf?.({ task, turn, results }) ?? role) ?? null;
  return {
    policy: {
      baseModel: policy.baseModel,
      contextLength: policy.contextLength,
      vocabularySize: policy.vocabularySize,
      client: policy.client,
      get currentVersion() {
        return policy.currentVersion;
      },
      createContext: async () => new RoleContext(await policy.createContext(), adapter),
      score: (request) => policy.score(request),
      dispose: () => policy.dispose(),
    },
    family: {
      ...family,
      world: (reference) => {
        const world = family.world(reference);
        return {
          ...world,
          environment: {
            task: world.environment.task,
            observe: () => world.environment.observe(),
            async step(action, signal) {
              const observation = await world.environment.step(action, signal);
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

class RoleContext implements PolicyContext {
  readonly #context: PolicyContext;
  readonly #adapter: () => string | null;
  #active: string | null = null;

  constructor(context: PolicyContext, adapter: () => string | null) {
    this.#context = context;
    this.#adapter = adapter;
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

  generate(options: GenerateOptions): Promise<Sample> {
    const wanted = this.#adapter();
    // Another adapter's keys and values are read again: a change of speaker costs the context.
    if (wanted !== this.#active) switchable(this.#context).activate(wanted);
    this.#active = wanted;
    return this.#context.generate(options);
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
