/**
 * A conversation with a policy, in tokens: it grows, generates, branches and scores itself. The port
 * `PolicyContext` is the part of it that agents need. No text here; `@waggle/runtime/chat` has that.
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

/** Every call that takes time can be given up; it then rejects with the signal's reason. */
export type Cancellable = { readonly signal?: AbortSignal };

/** All that is needed to go on elsewhere or later, as JSON. Keys and values are computed again. */
export type SessionSnapshot = {
  readonly baseModel: string;
  readonly policyVersion: PolicyVersionId;
  /** Of an adapter loaded by `loadAdapter`, `null` for the policy's version itself. */
  readonly adapterId: string | null;
  readonly adapterScale: number;
  readonly tokenIds: readonly number[];
};

export interface Session extends PolicyContext {
  /** Tokens given and sampled so far; during `generate` it grows. */
  readonly tokenIds: readonly number[];
  /** As the port, with one difference: sessions of one policy that generate together share runs. */
  generate(options: GenerateOptions): Promise<Sample>;
  /**
   * Another session with the first `at` tokens of this one and its adapter. They share what was
   * computed for them; also while this one generates.
   *
   * @param options.at - default: all tokens there are now.
   * @throws WaggleError `INVALID_ARGUMENT` when `at` is not in [0, tokens].
   */
  fork(options?: Cancellable & { readonly at?: number }): Promise<Session>;
  /**
   * n sessions that continue this one: its tokens are read once, then shared. For groups of
   * rollouts, each with a seed of its own.
   */
  group(n: number, options?: Cancellable): Promise<Session[]>;
  /**
   * Teacher-forced numbers of its own tokens, `[T]`, under its version and adapter; index 0 has no
   * prediction and holds 0.
   */
  score(options: Cancellable & Omit<ScoreRequest, "tokenIds">): Promise<TokenScores>;
  snapshot(): SessionSnapshot;
  /**
   * Samples from here on with an adapter of `loadAdapter`, at a strength, or with the policy's own
   * version again (`null`). What was computed under the other one is dropped and read again.
   *
   * @param options.scale - factor on the adapter's contribution. Default 1.
   */
  activate(adapterId: string | null, options?: { readonly scale?: number }): void;
  dispose(): void;
}

/** A Policy whose adapters can be replaced while sessions are in use. */
export interface AdaptivePolicy extends Policy {
  /** What runs it, as recorded on trajectories. */
  readonly client: ClientDescription;
  createContext(): Promise<Session>;
  /** A session from a snapshot, of this base model and a version or adapter that is resident. */
  restore(snapshot: SessionSnapshot, options?: Cancellable): Promise<Session>;
  /**
   * Makes `adapter` the current version. Sessions that exist keep theirs until they adopt; the old
   * adapter is freed with its last session. Calls are taken in order.
   *
   * @param adapter - `null` for the base model.
   * @throws WaggleError `ADAPTER_INCOMPATIBLE`; the current version is then unchanged.
   */
  setAdapter(version: PolicyVersionId, adapter: Adapter | null): Promise<void>;
  /** Keeps an adapter resident, beside the versions, for `Session.activate`. */
  loadAdapter(adapterId: string, adapter: Adapter): Promise<void>;
  /** Frees it once no session uses it. */
  unloadAdapter(adapterId: string): Promise<void>;
  /** `score` for many sequences, computed side by side where the back end gains by it. */
  scoreMany(requests: readonly ScoreRequest[], options?: Cancellable): Promise<TokenScores[]>;
}
