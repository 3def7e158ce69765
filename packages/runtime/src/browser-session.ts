/**
 * A session of a page. Its record of tokens is in the page, and a worker computes, so the page can
 * always continue with another worker.
 */
import type { GenerateOptions, PolicyVersionId, Sample, TokenScores } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import { assertGenerateOptions, disposedError, overlapError } from "./generate-options.ts";
import type { PolicyVersion, PolicyWorker, RestorableSession } from "./policy-worker.ts";
import type { Cancellable, Session, SessionSnapshot } from "./session/session.ts";
import { assertBranchAt, assertGroupSize } from "./session/branch-checks.ts";
import { assertTokenIds } from "./token-ids.ts";
import type { WorkerClient } from "./worker-client.ts";

/** The policy's members that a session uses. */
export type SessionFacts = {
  readonly baseModel: string;
  readonly vocabularySize: number;
  readonly worker: PolicyWorker;
};

/** An adapter of `loadAdapter`, instead of the version's. */
type ActiveAdapter = { readonly adapterId: string | null; readonly scale: number };

const NO_ADAPTER: ActiveAdapter = { adapterId: null, scale: 1 };

const EMPTY_ABORTED: Sample = {
  tokenIds: [],
  behaviorLogProbs: [],
  rawLogProbs: [],
  entropies: [],
  stopReason: "aborted",
};

export class BrowserSession implements Session, RestorableSession {
  readonly sessionId: number;
  readonly #facts: SessionFacts;
  readonly #tokenIds: number[];
  /** Tokens that the worker knows. */
  #sent: number;
  /** Tokens before the running generation, from which a new worker repeats it. */
  #settled: number | null = null;
  #version: PolicyVersion;
  #active: ActiveAdapter;
  /** Whether the worker's tokens differ, so that it must be sent ours before anything else. */
  #isStale = false;
  #isDisposed = false;

  /** @param tokenIds - the worker knows all of them, under this session's name. */
  constructor(
    facts: SessionFacts,
    sessionId: number,
    tokenIds: readonly number[],
    version: PolicyVersion,
    active: ActiveAdapter = NO_ADAPTER,
  ) {
    this.#facts = facts;
    this.sessionId = sessionId;
    this.#tokenIds = [...tokenIds];
    this.#sent = tokenIds.length;
    this.#version = version;
    this.#active = active;
    facts.worker.sessions.add(this);
  }

  get policyVersion(): PolicyVersionId {
    return this.#version.version;
  }

  get version(): PolicyVersion {
    return this.#version;
  }

  get tokenIds(): readonly number[] {
    return this.#tokenIds;
  }

  append(tokenIds: readonly number[]): void {
    this.#assertIdle();
    assertTokenIds(tokenIds, this.#facts.vocabularySize);
    for (const id of tokenIds) this.#tokenIds.push(id);
  }

  async generate(options: GenerateOptions): Promise<Sample> {
    this.#assertIdle();
    assertGenerateOptions(options, this.#tokenIds.length);
    if (options.signal?.aborted) return EMPTY_ABORTED;
    const { worker } = this.#facts;
    this.#settled = this.#tokenIds.length;
    const listener = new Listener(options, this.#tokenIds);
    try {
      const { sample, policyVersion } = await this.#call((client) =>
        this.#askToGenerate(client, options, listener),
      );
      // The adoption may have coincided with a swap that the page has not heard of; the worker knows.
      if (policyVersion !== this.#version.version) this.#version = worker.versionOf(policyVersion);
      return sample;
    } finally {
      this.#settled = null;
      this.#sent = this.#tokenIds.length;
      this.#isStale = listener.hasDiverged;
    }
  }

  async fork({ at, signal }: Cancellable & { readonly at?: number } = {}): Promise<Session> {
    this.#assertUsable();
    signal?.throwIfAborted();
    assertBranchAt(at, this.#tokenIds.length);
    const [branch] = await this.#branch(1, at ?? null, false, signal);
    return branch as Session;
  }

  async group(n: number, { signal }: Cancellable = {}): Promise<Session[]> {
    this.#assertUsable();
    signal?.throwIfAborted();
    assertGroupSize(n);
    return this.#branch(n, null, true, signal);
  }

  async score({ signal, ...options }: Parameters<Session["score"]>[0]): Promise<TokenScores> {
    this.#assertUsable();
    signal?.throwIfAborted();
    const { sessionId } = this;
    return this.#call((client) =>
      client.ask({ kind: "score-session", sessionId, given: this.#give(), options }, { signal }),
    );
  }

  snapshot(): SessionSnapshot {
    this.#assertUsable();
    return this.#snapshotOf(this.#tokenIds.length);
  }

  restorable(): SessionSnapshot {
    this.#isStale = false;
    this.#sent = this.#settled ?? this.#tokenIds.length;
    return this.#snapshotOf(this.#sent);
  }

  activate(adapterId: string | null, { scale = 1 }: { readonly scale?: number } = {}): void {
    this.#assertIdle();
    const { worker } = this.#facts;
    if (adapterId !== null && !worker.loaded.has(adapterId)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `no adapter "${adapterId}" among ${[...worker.loaded.keys()].join(", ") || "none"}; call loadAdapter first`,
      );
    }
    this.#active = { adapterId, scale };
    worker.tell({ kind: "activate", sessionId: this.sessionId, ...this.#active });
  }

  adoptCurrentVersion(): void {
    this.#assertIdle();
    this.#version = this.#facts.worker.current;
    this.#facts.worker.tell({ kind: "adopt", sessionId: this.sessionId });
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#facts.worker.sessions.delete(this);
    this.#facts.worker.tell({ kind: "dispose-session", sessionId: this.sessionId });
  }

  #call<T>(use: (client: WorkerClient, isRestored: boolean) => Promise<T>): Promise<T> {
    const { sessionId } = this;
    return this.#facts.worker.call(async (client, isRestored) => {
      if (this.#isStale) {
        const snapshot = this.restorable();
        await client.ask({ kind: "restore-session", sessionId, snapshot });
      }
      return use(client, isRestored);
    });
  }

  async #askToGenerate(client: WorkerClient, options: GenerateOptions, listener: Listener) {
    if (this.#isDisposed) throw disposedError();
    const { sampling, stopTokenIds, maxTokens, grammar } = options;
    listener.begin(this.#settled as number);
    const answer = await client.ask(
      {
        kind: "generate",
        sessionId: this.sessionId,
        given: this.#give(),
        options: {
          sampling,
          stopTokenIds: [...stopTokenIds],
          maxTokens,
          ...(grammar && { grammar }),
        },
        wantsTokens: options.onToken !== undefined,
      },
      { signal: listener.signal, onTokens: listener.receive },
    );
    listener.end(answer.sample.tokenIds);
    return answer;
  }

  /** Tokens that the worker does not know yet. */
  #give(): number[] {
    const known = this.#settled ?? this.#tokenIds.length;
    const given = this.#tokenIds.slice(this.#sent, known);
    this.#sent = Math.max(this.#sent, known);
    return given;
  }

  async #branch(
    n: number,
    at: number | null,
    readsFirst: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Session[]> {
    const { worker } = this.#facts;
    const { sessionId } = this;
    const branchIds = Array.from({ length: n }, () => worker.newSessionId());
    const version = this.#version;
    const active = this.#active;
    const tokenIds = await this.#call(async (client, isRestored) => {
      if (!isRestored) {
        const given = this.#give();
        const request = { kind: "branch", sessionId, given, branchIds, at, readsFirst } as const;
        return (await client.ask(request, { signal })).tokenIds;
      }
      // A new worker may not have caught up; the page's record has the tokens.
      const snapshot = this.#snapshotOf(at ?? this.#tokenIds.length);
      for (const branchId of branchIds) {
        await client.ask({ kind: "restore-session", sessionId: branchId, snapshot }, { signal });
      }
      return snapshot.tokenIds;
    });
    return branchIds.map((id) => new BrowserSession(this.#facts, id, tokenIds, version, active));
  }

  #snapshotOf(length: number): SessionSnapshot {
    return {
      baseModel: this.#facts.baseModel,
      policyVersion: this.#version.version,
      adapterId: this.#active.adapterId,
      adapterScale: this.#active.scale,
      tokenIds: this.#tokenIds.slice(0, length),
    };
  }

  #assertUsable(): void {
    if (this.#isDisposed || this.#facts.worker.isDisposed) throw disposedError();
  }

  #assertIdle(): void {
    this.#assertUsable();
    if (this.#settled !== null) throw overlapError();
  }
}

/** Receives the tokens of one generation, including those that a second worker repeats. */
class Listener {
  readonly #options: GenerateOptions;
  readonly #tokenIds: number[];
  readonly #stop = new AbortController();
  #start = 0;
  #position = 0;
  #error: unknown = null;
  #hasDiverged = false;

  /** @param tokenIds - the session's record, to which tokens are added. */
  constructor(options: GenerateOptions, tokenIds: number[]) {
    this.#options = options;
    this.#tokenIds = tokenIds;
  }

  get signal(): AbortSignal {
    const { signal } = this.#options;
    return signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal]);
  }

  /** Whether the worker continued with other tokens than the record has. */
  get hasDiverged(): boolean {
    return this.#hasDiverged;
  }

  /** @param position - index of the next token. */
  begin(position: number): void {
    this.#start = position;
    this.#position = position;
  }

  readonly receive = (tokenIds: readonly number[]): void => {
    for (const id of tokenIds) if (!this.#hasDiverged) this.#take(id);
  };

  /**
   * @param tokenIds - all of the generation's; the last ones only arrive with the result.
   * @throws a listener's error, or an error if repeated tokens differ.
   */
  end(tokenIds: readonly number[]): void {
    this.receive(tokenIds.slice(this.#position - this.#start));
    if (this.#error !== null) throw this.#error;
  }

  #take(id: number): void {
    const known = this.#tokenIds[this.#position++];
    if (known === undefined) this.#tell(id);
    else if (known !== id) {
      this.#hasDiverged = true;
      this.#stopWith(
        new WaggleError(
          "DEVICE_LOST",
          `a repeated generation gave token ${id} instead of ${known}; generate again`,
          { retryable: true },
        ),
      );
    }
  }

  #tell(id: number): void {
    this.#tokenIds.push(id);
    if (this.#error !== null) return;
    try {
      this.#options.onToken?.(id);
    } catch (error) {
      this.#stopWith(error);
    }
  }

  #stopWith(error: unknown): void {
    this.#error ??= error;
    this.#stop.abort();
  }
}
