/** The Session of a scheduled policy: a record of tokens, its pinned version, and its jobs. */
import type {
  CompiledGrammar,
  GenerateOptions,
  GrammarSpec,
  PolicyVersionId,
  Sample,
  ScoreRequest,
  TokenScores,
} from "@waggle/protocol";
import { assertGenerateOptions, disposedError, overlapError } from "../generate-options.ts";
import { assertTokenIds } from "../token-ids.ts";
import { assertBranchAt, assertGroupSize } from "./branch-checks.ts";
import type { ResidentAdapter } from "./decoder-device.ts";
import { Generation } from "./generation.ts";
import { Reading } from "./reading.ts";
import type { Scheduler } from "./scheduler.ts";
import { ScoreJob } from "./score-job.ts";
import { assertScoreRequest, keptSetsOf } from "./score-request.ts";
import { Sequence } from "./sequence.ts";
import type { Cancellable, Session, SessionSnapshot } from "./session.ts";

/** The policy's members that a session uses. */
export interface SessionHost {
  readonly baseModel: string;
  readonly contextLength: number;
  readonly vocabularySize: number;
  readonly isDisposed: boolean;
  readonly scheduler: Scheduler;
  /** For tests, see `ScheduledPolicyOptions`. */
  readonly keepsCacheOnAdoption: boolean;
  /** Pins the current version for a session. */
  pinCurrent(): ResidentAdapter;
  /** Pins one that another session already holds. */
  pin(resident: ResidentAdapter): ResidentAdapter;
  /** Pins a loaded adapter. @throws WaggleError `INVALID_ARGUMENT` if it is not loaded. */
  pinLoaded(adapterId: string, scale: number): ResidentAdapter;
  /** Releases one; its last user frees it. */
  unpin(resident: ResidentAdapter): Promise<void>;
  /** @throws WaggleError `CAPABILITY_MISSING` if the policy has no tokenizer. */
  compileGrammar(spec: GrammarSpec): Promise<CompiledGrammar>;
}

export class PolicySession implements Session {
  readonly #host: SessionHost;
  readonly #sequence: Sequence;
  #version: ResidentAdapter;
  /** An adapter active instead of the version's. */
  #active: ResidentAdapter | null;
  #generation: Generation | null = null;
  #isBusy = false;
  #isDisposed = false;

  /** @param version - pinned for this session, as is `active`. */
  constructor(
    host: SessionHost,
    tokenIds: readonly number[],
    version: ResidentAdapter,
    active: ResidentAdapter | null,
  ) {
    this.#host = host;
    this.#sequence = new Sequence(tokenIds);
    this.#version = version;
    this.#active = active;
    host.scheduler.keep(this.#sequence);
  }

  get policyVersion(): PolicyVersionId {
    return this.#version.name as PolicyVersionId;
  }

  get tokenIds(): readonly number[] {
    return this.#sequence.tokenIds;
  }

  append(tokenIds: readonly number[]): void {
    this.#assertIdle();
    assertTokenIds(tokenIds, this.#host.vocabularySize);
    for (const id of tokenIds) this.#sequence.tokenIds.push(id);
  }

  async generate(options: GenerateOptions): Promise<Sample> {
    this.#assertIdle();
    assertGenerateOptions(options, this.#sequence.tokenIds.length);
    return this.#occupy(async () => {
      const grammar =
        options.grammar === undefined ? null : await this.#host.compileGrammar(options.grammar);
      if (this.#isDisposed || this.#host.isDisposed) throw disposedError();
      const job = new Generation(
        this.#resident,
        this.#sequence,
        options,
        grammar && { id: grammar.id, matcher: grammar.createMatcher() },
        this.#host,
      );
      this.#generation = job;
      this.#host.scheduler.add(job);
      return job.done;
    });
  }

  async fork({ at, signal }: Cancellable & { readonly at?: number } = {}): Promise<Session> {
    this.#assertUsable();
    signal?.throwIfAborted();
    const { tokenIds } = this.#sequence;
    const length = at ?? tokenIds.length;
    assertBranchAt(at, tokenIds.length);
    return this.#branch(length, signal);
  }

  async group(n: number, { signal }: Cancellable = {}): Promise<Session[]> {
    this.#assertUsable();
    signal?.throwIfAborted();
    assertGroupSize(n);
    const { length } = this.#sequence.tokenIds;
    // Each member reads the last token itself, because it samples from that run.
    if (!this.#isBusy && length > 1) {
      await this.#occupy(async () => {
        const job = new Reading(this.#resident, this.#sequence, length - 1, signal);
        this.#host.scheduler.add(job);
        await job.done;
      });
    }
    const members = await Promise.allSettled(
      Array.from({ length: n }, () => this.#branch(length, signal)),
    );
    const sessions = members.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const failed = members.find((each) => each.status === "rejected");
    if (failed === undefined) return sessions;
    for (const session of sessions) session.dispose();
    throw failed.reason;
  }

  async score({ signal, ...options }: Parameters<Session["score"]>[0]): Promise<TokenScores> {
    this.#assertUsable();
    signal?.throwIfAborted();
    const request: ScoreRequest = { tokenIds: [...this.#sequence.tokenIds], ...options };
    assertScoreRequest(request, this.#host);
    const resident = this.#host.pin(this.#resident);
    try {
      const compile = (spec: GrammarSpec) => this.#host.compileGrammar(spec);
      const kept = await keptSetsOf(request, this.#host.vocabularySize, compile);
      const job = new ScoreJob(resident, request, kept, signal);
      this.#host.scheduler.add(job);
      return await job.done;
    } finally {
      void this.#host.unpin(resident);
    }
  }

  snapshot(): SessionSnapshot {
    this.#assertUsable();
    return {
      baseModel: this.#host.baseModel,
      policyVersion: this.policyVersion,
      adapterId: this.#active === null ? null : String(this.#active.name),
      adapterScale: this.#active?.scale ?? 1,
      tokenIds: [...this.#sequence.tokenIds],
    };
  }

  activate(adapterId: string | null, { scale = 1 }: { readonly scale?: number } = {}): void {
    this.#assertIdle();
    const next = adapterId === null ? null : this.#host.pinLoaded(adapterId, scale);
    const previous = this.#active;
    this.#active = next;
    if (next !== previous) this.#host.scheduler.free(this.#sequence);
    if (previous !== null) void this.#host.unpin(previous);
  }

  adoptCurrentVersion(): void {
    this.#assertIdle();
    const previous = this.#version;
    this.#version = this.#host.pinCurrent();
    const isDropped = previous !== this.#version && this.#active === null;
    if (isDropped && !this.#host.keepsCacheOnAdoption) this.#host.scheduler.free(this.#sequence);
    void this.#host.unpin(previous);
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    // A run in progress still reads the cache; the end of the job frees it.
    this.#generation?.cancel(disposedError());
    if (!this.#isBusy) this.#free();
  }

  get #resident(): ResidentAdapter {
    return this.#active ?? this.#version;
  }

  async #branch(length: number, signal: AbortSignal | undefined): Promise<PolicySession> {
    const { scheduler } = this.#host;
    const resident = this.#resident;
    const branch = new PolicySession(
      this.#host,
      this.#sequence.tokenIds.slice(0, length),
      this.#host.pin(this.#version),
      this.#active && this.#host.pin(this.#active),
    );
    try {
      await scheduler.operate(async () => {
        const { cache } = this.#sequence;
        const shared = Math.min(length, cache?.length ?? 0);
        // Dropped meanwhile, or under another adapter: the session reads the tokens itself.
        if (cache === null || shared === 0 || resident !== this.#resident) return;
        branch.#sequence.cache = (await resident.session?.fork(cache, shared)) ?? null;
      });
      signal?.throwIfAborted();
      if (this.#host.isDisposed) throw disposedError();
      return branch;
    } catch (error) {
      branch.dispose();
      throw error;
    }
  }

  async #occupy<T>(fn: () => Promise<T>): Promise<T> {
    this.#isBusy = true;
    try {
      return await fn();
    } finally {
      this.#isBusy = false;
      this.#generation = null;
      if (this.#isDisposed) this.#free();
    }
  }

  #free(): void {
    this.#host.scheduler.forget(this.#sequence);
    void this.#host.unpin(this.#version);
    if (this.#active !== null) void this.#host.unpin(this.#active);
  }

  #assertUsable(): void {
    if (this.#isDisposed || this.#host.isDisposed) throw disposedError();
  }

  #assertIdle(): void {
    this.#assertUsable();
    if (this.#isBusy) throw overlapError();
  }
}
