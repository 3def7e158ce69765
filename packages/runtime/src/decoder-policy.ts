/**
 * The Policy over a decoder back end: versions of one base model, each pinned by the contexts that
 * sample from it and freed with the last of them. It knows no runtime and no page.
 */
import type { Adapter } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type {
  ClientDescription,
  Policy,
  PolicyContext,
  PolicyVersionId,
  ScoreRequest,
  TokenScores,
} from "@waggle/protocol";
import { DecodeBatcher } from "./decode-batcher.ts";
import { DecoderContext } from "./decoder-context.ts";
import type { ContextHost, VersionSlot } from "./decoder-context.ts";
import type { DecoderBackend, DecoderSession } from "./decoder-session.ts";
import { disposedError } from "./generate-options.ts";
import { scoreRows, scoreSequence } from "./scoring.ts";
import { SerialQueue } from "./serial-queue.ts";

/** A Policy whose adapter can be replaced while contexts are in use. */
export interface AdaptivePolicy extends Policy {
  /** What runs it, as recorded on trajectories. */
  readonly client: ClientDescription;
  /**
   * Makes `adapter` the current version. Contexts that exist keep theirs until they adopt; the old
   * adapter is freed with its last context. Calls are taken in order.
   *
   * @param adapter - `null` for the base model.
   * @throws WaggleError `ADAPTER_INCOMPATIBLE`; the current version is then unchanged.
   */
  setAdapter(version: PolicyVersionId, adapter: Adapter | null): Promise<void>;
  /** `score` for many sequences, computed side by side where the back end gains by it. */
  scoreMany(requests: readonly ScoreRequest[]): Promise<TokenScores[]>;
}

export type DecoderPolicyOptions = {
  readonly backend: DecoderBackend;
  readonly client: ClientDescription;
  readonly baseModel: string;
  readonly contextLength: number;
  readonly vocabularySize: number;
  /** Whether `scoreMany` may run several sequences at once: the CPU back ends gain by it. */
  readonly scoresInRows: boolean;
  /** Resolves after the event loop had a turn. */
  readonly nextTask: () => Promise<void>;
  /** See `ContextHost`. */
  readonly pause?: (() => Promise<void> | void) | undefined;
  /** A test's seam: `adoptCurrentVersion` keeps the old keys and values, which is wrong. */
  readonly keepsCacheOnAdoption?: boolean;
};

/** Opens version 0, the base model. */
export async function createDecoderPolicy(options: DecoderPolicyOptions): Promise<DecoderPolicy> {
  return new DecoderPolicy(options, await options.backend.open(null));
}

export class DecoderPolicy implements AdaptivePolicy, ContextHost {
  readonly baseModel: string;
  readonly contextLength: number;
  readonly vocabularySize: number;
  readonly client: ClientDescription;
  /** Runs of all contexts, one after the other: no onnxruntime back end runs two at once. */
  readonly runs: SerialQueue = new SerialQueue();
  readonly pause: ContextHost["pause"];
  readonly #options: DecoderPolicyOptions;
  readonly #swaps = new SerialQueue();
  readonly #slots = new Set<VersionSlot>();
  #current: VersionSlot;
  #isDisposed = false;

  constructor(options: DecoderPolicyOptions, base: DecoderSession) {
    this.baseModel = options.baseModel;
    this.contextLength = options.contextLength;
    this.vocabularySize = options.vocabularySize;
    this.client = options.client;
    this.pause = options.pause;
    this.#options = options;
    this.#current = this.#hold(0, base);
  }

  get currentVersion(): PolicyVersionId {
    return this.#current.version;
  }

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  get keepsCacheOnAdoption(): boolean {
    return this.#options.keepsCacheOnAdoption ?? false;
  }

  /** Versions that occupy memory, oldest first. */
  liveVersions(): PolicyVersionId[] {
    return Array.from(this.#slots, (slot) => slot.version);
  }

  createContext(): Promise<PolicyContext> {
    return Promise.resolve().then(() => {
      this.#assertUsable();
      return new DecoderContext(this);
    });
  }

  setAdapter(version: PolicyVersionId, adapter: Adapter | null): Promise<void> {
    return this.#swaps.run(async () => {
      this.#assertUsable();
      if (!Number.isInteger(version) || version < 0) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `a policy version must be a non-negative integer, got ${version}; pass the published one`,
        );
      }
      const session = await this.runs.run(() => this.#options.backend.open(adapter));
      const previous = this.#current;
      this.#current = this.#hold(version, session);
      await this.unpin(previous);
    });
  }

  async score(request: ScoreRequest): Promise<TokenScores> {
    return this.#withCurrent((slot) => scoreSequence(this.runs, slot.session, request, this));
  }

  async scoreMany(requests: readonly ScoreRequest[]): Promise<TokenScores[]> {
    return this.#withCurrent(async (slot) => {
      if (this.#options.scoresInRows) return scoreRows(this.runs, slot.session, requests, this);
      const scores: TokenScores[] = [];
      for (const request of requests) {
        scores.push(await scoreSequence(this.runs, slot.session, request, this));
      }
      return scores;
    });
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    await this.#swaps.run(async () => {
      await this.unpin(this.#current);
      await this.runs.run(() => this.#options.backend.dispose());
    });
  }

  /** Takes the current version for a context. */
  pinCurrent(): VersionSlot {
    this.#current.users++;
    return this.#current;
  }

  /** Gives a version back; the last user frees it, after the runs that still use it. */
  async unpin(slot: VersionSlot): Promise<void> {
    slot.users--;
    if (slot.users > 0) return;
    this.#slots.delete(slot);
    await this.runs.run(() => slot.session.release());
  }

  #hold(version: PolicyVersionId, session: DecoderSession): VersionSlot {
    const batcher = new DecodeBatcher(session, this.runs, this.#options.nextTask);
    const slot = { version, session, batcher, users: 1 };
    this.#slots.add(slot);
    return slot;
  }

  async #withCurrent<T>(fn: (slot: VersionSlot) => Promise<T>): Promise<T> {
    this.#assertUsable();
    const slot = this.pinCurrent();
    try {
      return await fn(slot);
    } finally {
      await this.unpin(slot);
    }
  }

  #assertUsable(): void {
    if (this.#isDisposed) throw disposedError();
  }
}
