/**
 * The Policy over a decoder backend: versions of one base model (each pinned by the sessions that
 * sample from it, and freed with the last of them), loaded adapters, and the device's scheduler.
 * Independent of runtimes and pages.
 */
import type { Adapter } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type {
  ClientDescription,
  CompiledGrammar,
  GrammarCompiler,
  GrammarSpec,
  PolicyVersionId,
  ScoreRequest,
  TokenScores,
} from "@waggle/protocol";
import type { BackendMemory } from "../backend/decoder-backend.ts";
import { disposedError } from "../generate-options.ts";
import { DecoderDevice, ResidentAdapter } from "./decoder-device.ts";
import type { OpenBackend } from "./decoder-device.ts";
import { createNextTask } from "./event-loop.ts";
import type { NextTask } from "./event-loop.ts";
import { LoadedAdapters } from "./loaded-adapters.ts";
import { PolicySession } from "./policy-session.ts";
import type { SessionHost } from "./policy-session.ts";
import { Scheduler } from "./scheduler.ts";
import { ScoreJob } from "./score-job.ts";
import { assertScoreRequest, keptSetsOf } from "./score-request.ts";
import type { AdaptivePolicy, Cancellable, Session, SessionSnapshot } from "./session.ts";

/** Default bytes for keys and values. */
const CACHE_BYTES = 1024 * 1024 * 1024;

export type ScheduledPolicyOptions = {
  readonly openBackend: OpenBackend;
  readonly client: ClientDescription;
  readonly baseModel: string;
  readonly contextLength: number;
  readonly vocabularySize: number;
  /** Bytes for caches; beyond that, idle sessions' are dropped and recomputed. Default 1 GiB. */
  readonly cacheBytes?: number | undefined;
  /** Loads the grammar compiler at first use. Absent without a tokenizer. */
  readonly openGrammars?: (() => Promise<GrammarCompiler>) | undefined;
  /** Default: the platform's. */
  readonly nextTask?: NextTask;
  /** For tests: `adoptCurrentVersion` keeps the old keys and values, which is wrong. */
  readonly keepsCacheOnAdoption?: boolean | undefined;
};

/** Opens version 0, the base model. */
export async function createScheduledPolicy(
  options: ScheduledPolicyOptions,
): Promise<ScheduledPolicy> {
  const policy = new ScheduledPolicy(options);
  await policy.setAdapter(0, null);
  return policy;
}

export class ScheduledPolicy implements AdaptivePolicy, SessionHost {
  readonly baseModel: string;
  readonly contextLength: number;
  readonly vocabularySize: number;
  readonly client: ClientDescription;
  readonly scheduler: Scheduler;
  readonly keepsCacheOnAdoption: boolean;
  readonly #device: DecoderDevice;
  readonly #loaded: LoadedAdapters;
  readonly #openGrammars: (() => Promise<GrammarCompiler>) | undefined;
  #grammars: Promise<GrammarCompiler> | null = null;
  #current: ResidentAdapter | null = null;
  #isDisposed = false;

  constructor(options: ScheduledPolicyOptions) {
    this.baseModel = options.baseModel;
    this.contextLength = options.contextLength;
    this.vocabularySize = options.vocabularySize;
    this.client = options.client;
    this.keepsCacheOnAdoption = options.keepsCacheOnAdoption ?? false;
    this.#openGrammars = options.openGrammars;
    this.#device = new DecoderDevice(options.openBackend, options.client);
    this.scheduler = new Scheduler({
      device: this.#device,
      nextTask: options.nextTask ?? createNextTask(),
      cacheBytes: options.cacheBytes ?? CACHE_BYTES,
    });
    this.#loaded = new LoadedAdapters((resident) => this.unpin(resident));
  }

  get currentVersion(): PolicyVersionId {
    return (this.#current?.name ?? 0) as PolicyVersionId;
  }

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /** Versions in memory, oldest first. */
  liveVersions(): PolicyVersionId[] {
    return this.#device.liveVersions();
  }

  /** Bytes on the device. */
  memory(): BackendMemory {
    return this.#device.memory();
  }

  async createContext(): Promise<Session> {
    this.#assertUsable();
    return new PolicySession(this, [], this.pinCurrent(), null);
  }

  async restore(snapshot: SessionSnapshot, { signal }: Cancellable = {}): Promise<Session> {
    this.#assertUsable();
    signal?.throwIfAborted();
    if (snapshot.baseModel !== this.baseModel) {
      throw new WaggleError(
        "MODEL_UNSUPPORTED",
        `the snapshot is of base model ${snapshot.baseModel}, not ${this.baseModel}; open that model`,
      );
    }
    const version = this.#device.find(snapshot.policyVersion);
    if (version === null) {
      throw new WaggleError(
        "POLICY_VERSION_UNKNOWN",
        `the snapshot's version ${snapshot.policyVersion} is not among ${this.liveVersions().join(", ")}; set it, or restore with the current one`,
      );
    }
    const session = new PolicySession(this, [], this.pin(version), null);
    try {
      session.append(snapshot.tokenIds);
      if (snapshot.adapterId !== null) {
        session.activate(snapshot.adapterId, { scale: snapshot.adapterScale });
      }
      return session;
    } catch (error) {
      session.dispose();
      throw error;
    }
  }

  async setAdapter(version: PolicyVersionId, adapter: Adapter | null): Promise<void> {
    this.#assertUsable();
    if (!Number.isInteger(version) || version < 0) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a policy version must be a non-negative integer, got ${version}; pass the published one`,
      );
    }
    const resident = new ResidentAdapter(version, adapter);
    await this.#open(resident);
    const previous = this.#current;
    this.#current = resident;
    if (previous !== null) await this.unpin(previous);
  }

  async loadAdapter(adapterId: string, adapter: Adapter): Promise<void> {
    this.#assertUsable();
    this.#loaded.assertFree(adapterId);
    const resident = new ResidentAdapter(adapterId, adapter);
    await this.#open(resident);
    this.#loaded.add(resident);
  }

  async unloadAdapter(adapterId: string): Promise<void> {
    this.#assertUsable();
    await this.#loaded.remove(adapterId);
  }

  async score(request: ScoreRequest): Promise<TokenScores> {
    const [scores] = await this.scoreMany([request]);
    return scores as TokenScores;
  }

  async scoreMany(
    requests: readonly ScoreRequest[],
    { signal }: Cancellable = {},
  ): Promise<TokenScores[]> {
    this.#assertUsable();
    signal?.throwIfAborted();
    for (const request of requests) assertScoreRequest(request, this);
    const resident = this.pinCurrent();
    const scores: TokenScores[] = [];
    // Similar lengths side by side; no more at a time than fit into one run, because each has a
    // cache.
    const order = requests
      .map((_, index) => index)
      .sort((a, b) => lengthOf(requests, b) - lengthOf(requests, a));
    const lane = async (): Promise<void> => {
      for (let index = order.shift(); index !== undefined; index = order.shift()) {
        const request = requests[index] as ScoreRequest;
        const kept = await keptSetsOf(request, this.vocabularySize, this.#compile);
        const job = new ScoreJob(resident, request, kept, signal);
        this.scheduler.add(job);
        scores[index] = await job.done;
      }
    };
    try {
      const lanes = Array.from({ length: resident.session?.maxRows ?? 1 }, lane);
      const failed = (await Promise.allSettled(lanes)).find((each) => each.status === "rejected");
      if (failed !== undefined) throw failed.reason;
      return scores;
    } finally {
      void this.unpin(resident);
    }
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    await this.scheduler.stop(disposedError());
    await this.scheduler.operate(() => this.#device.dispose());
    const grammars = this.#grammars;
    this.#grammars = null;
    (await grammars?.catch(() => null))?.dispose();
  }

  pinCurrent(): ResidentAdapter {
    return this.pin(this.#current as ResidentAdapter);
  }

  pin(resident: ResidentAdapter): ResidentAdapter {
    resident.users++;
    return resident;
  }

  pinLoaded(adapterId: string, scale: number): ResidentAdapter {
    return this.#loaded.pin(adapterId, scale);
  }

  /** Releases one. The last user frees it, after the runs that still use it. */
  async unpin(resident: ResidentAdapter): Promise<void> {
    resident.users--;
    if (resident.users > 0 || this.#isDisposed) return;
    this.#loaded.drop(resident);
    await this.scheduler.operate(() => this.#device.release(resident));
  }

  compileGrammar(spec: GrammarSpec): Promise<CompiledGrammar> {
    return this.#compile(spec);
  }

  readonly #compile = async (spec: GrammarSpec): Promise<CompiledGrammar> => {
    if (this.#openGrammars === undefined) {
      throw new WaggleError(
        "CAPABILITY_MISSING",
        "grammars need a tokenizer; open the policy with its tokenizer files",
      );
    }
    this.#grammars ??= this.#openGrammars();
    try {
      return await (await this.#grammars).compile(spec);
    } catch (error) {
      if (!WaggleError.is(error, "GRAMMAR_UNSUPPORTED")) this.#grammars = null;
      throw error;
    }
  };

  /**
   * Opens it immediately, so that an incompatible adapter is refused here and not in a generation.
   */
  async #open(resident: ResidentAdapter): Promise<void> {
    await this.scheduler.operate(async () => {
      this.#assertUsable();
      await this.#device.open(resident);
    });
  }

  #assertUsable(): void {
    if (this.#isDisposed) throw disposedError();
  }
}

function lengthOf(requests: readonly ScoreRequest[], index: number): number {
  return (requests[index] as ScoreRequest).tokenIds.length;
}
