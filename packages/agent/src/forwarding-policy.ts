/** Wraps a policy so that its contexts behave differently. Weights, versions and scores are unchanged. */
import type {
  GenerateOptions,
  Policy,
  PolicyContext,
  PolicyVersionId,
  Sample,
} from "@waggle/protocol";

/**
 * The given policy with some members replaced. All other members are read from `policy` at each access.
 * Disposing the result disposes `policy`.
 */
export function forwardingPolicy<P extends Policy>(
  policy: P,
  changes: Pick<Policy, "createContext"> & { readonly [name: string]: unknown },
): P {
  return new Proxy(policy, {
    get(target, name) {
      if (Object.hasOwn(changes, name)) return changes[name as string];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** A context that forwards every call to another one. Subclasses override what should differ. */
export class ForwardingContext implements PolicyContext {
  protected readonly context: PolicyContext;

  constructor(context: PolicyContext) {
    this.context = context;
  }

  get policyVersion(): PolicyVersionId {
    return this.context.policyVersion;
  }

  get tokenIds(): readonly number[] {
    return this.context.tokenIds;
  }

  append(tokenIds: readonly number[]): void {
    this.context.append(tokenIds);
  }

  generate(options: GenerateOptions): Promise<Sample> {
    return this.context.generate(options);
  }

  adoptCurrentVersion(): void {
    this.context.adoptCurrentVersion();
  }

  dispose(): void {
    this.context.dispose();
  }
}
