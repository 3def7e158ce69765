/**
 * A conversation with a policy, in tokens: it grows, generates, branches and scores itself. The port
 * `PolicyContext` is the part that agents need. For text, see `@waggle/runtime/chat`.
 */
import type { Adapter } from "@waggle/model";
import type {
  GenerateOptions,
  Policy,
  PolicyContext,
  PolicyVersionId,
  Sample,
  ScoreRequest,
  TokenScores,
  ClientDescription,
} from "@waggle/protocol";

/** Every call that takes time can be aborted; it then rejects with the signal's reason. */
export type Cancellable = { readonly signal?: AbortSignal };

/** All that is needed to continue elsewhere or later, as JSON. Keys and values are recomputed. */
export type SessionSnapshot = {
  readonly baseModel: string;
  readonly policyVersion: PolicyVersionId;
  /** Id for `loadAdapter`, `null` for the policy's version itself. */
  readonly adapterId: string | null;
  readonly adapterScale: number;
  readonly tokenIds: readonly number[];
};

/** A conversation in tokens that generates, branches and scores itself. */
export interface Session extends PolicyContext {
  /** Given and sampled tokens so far; grows during `generate`. */
  readonly tokenIds: readonly number[];
  /** As in the port. Sessions of one policy that generate concurrently share runs. */
  generate(options: GenerateOptions): Promise<Sample>;
  /**
   * Creates another session with the first `at` tokens of this one and its adapter. They share what
   * was computed for these tokens. Also works while this session generates.
   *
   * @param options.at - default: all current tokens.
   * @throws WaggleError `INVALID_ARGUMENT` if `at` is not in [0, tokens].
   */
  fork(options?: Cancellable & { readonly at?: number }): Promise<Session>;
  /**
   * Creates n sessions that continue this one: its tokens are read once, then shared. For groups of
   * rollouts, each with its own seed.
   */
  group(n: number, options?: Cancellable): Promise<Session[]>;
  /**
   * Teacher-forced scores of its own tokens, `[T]`, under its version and adapter; index 0 has no
   * prediction and is 0.
   */
  score(options: Cancellable & Omit<ScoreRequest, "tokenIds">): Promise<TokenScores>;
  snapshot(): SessionSnapshot;
  /**
   * Samples from now on with an adapter of `loadAdapter` at a scale, or with the policy's own
   * version again (`null`). What was computed under the previous one is dropped and recomputed.
   *
   * @param options.scale - factor for the adapter's contribution. Default 1.
   */
  activate(adapterId: string | null, options?: { readonly scale?: number }): void;
  dispose(): void;
}

/** A Policy whose adapters can be replaced while sessions are in use. */
export interface AdaptivePolicy extends Policy {
  /** What runs the policy, as recorded on trajectories. */
  readonly client: ClientDescription;
  createContext(): Promise<Session>;
  /** A session from a snapshot of this base model, with a resident version or adapter. */
  restore(snapshot: SessionSnapshot, options?: Cancellable): Promise<Session>;
  /**
   * Makes `adapter` the current version. Existing sessions keep theirs until they adopt it; the old
   * adapter is freed with its last session. Calls are processed in order.
   *
   * @param adapter - `null` for the base model.
   * @throws WaggleError `ADAPTER_INCOMPATIBLE`; the current version is then unchanged.
   */
  setAdapter(version: PolicyVersionId, adapter: Adapter | null): Promise<void>;
  /** Keeps an adapter resident, besides the versions, for `Session.activate`. */
  loadAdapter(adapterId: string, adapter: Adapter): Promise<void>;
  /** Frees it once no session uses it. */
  unloadAdapter(adapterId: string): Promise<void>;
  /** `score` for many sequences, computed side by side if the backend gains from it. */
  scoreMany(requests: readonly ScoreRequest[], options?: Cancellable): Promise<TokenScores[]>;
}
