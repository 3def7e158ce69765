/**
 * Keeps a worker available: when the current one dies, it starts another, opens the model again and
 * restores every session from the page's record. It does not handle tokens or sampling.
 */
import type { Adapter } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { PolicyVersionId } from "@waggle/protocol";
import { disposedError } from "./generate-options.ts";
import type { SessionSnapshot } from "./session/session.ts";
import type { WorkerClient } from "./worker-client.ts";
import type { PublishedAdapter, WorkerRequest } from "./worker/messages.ts";

/** Maximum worker deaths during one call before it fails. */
const MOST_DEATHS = 3;

/** A version of the policy, kept while the page may have to set it again. */
export type PolicyVersion = {
  readonly version: PolicyVersionId;
  readonly adapter: Adapter | PublishedAdapter | null;
};

/** A session that can be restored. */
export interface RestorableSession {
  readonly sessionId: number;
  readonly version: PolicyVersion;
  /** The snapshot for a new worker. */
  restorable(): SessionSnapshot;
}

export class PolicyWorker {
  readonly sessions: Set<RestorableSession> = new Set();
  /** Adapters loaded in addition to the versions. */
  readonly loaded: Map<string, Adapter> = new Map();
  readonly #start: () => Promise<WorkerClient>;
  #client: Promise<WorkerClient>;
  /** Oldest first. The worker may use a version before the page hears of it. */
  #versions: PolicyVersion[] = [{ version: 0, adapter: null }];
  #current: PolicyVersion = this.#versions[0] as PolicyVersion;
  #nextSessionId = 1;
  #isDisposed = false;

  /**
   * @param start - starts a worker and opens the model in it.
   * @param first - a worker that is already open.
   */
  constructor(start: () => Promise<WorkerClient>, first: WorkerClient) {
    this.#start = start;
    this.#client = Promise.resolve(first);
  }

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  get current(): PolicyVersion {
    return this.#current;
  }

  newSessionId(): number {
    return this.#nextSessionId++;
  }

  /**
   * Uses the worker, and again the next one if it dies.
   *
   * @param use - may run several times; `isRestored` says whether sessions were restored before it.
   * @throws WaggleError `DEVICE_LOST` (retryable) if workers keep dying.
   */
  async call<T>(use: (client: WorkerClient, isRestored: boolean) => Promise<T>): Promise<T> {
    for (let deaths = 0; ;) {
      let client: WorkerClient | null = null;
      try {
        client = await this.#alive();
        return await use(client, deaths > 0);
      } catch (error) {
        deaths++;
        // A worker that did not start counts as dead, too.
        const isDead = client?.isDead ?? WaggleError.is(error, "DEVICE_LOST");
        if (!isDead || this.#isDisposed || deaths >= MOST_DEATHS) throw error;
      }
    }
  }

  /** Sends a message without a reply, in order with calls. */
  tell(request: WorkerRequest): void {
    this.#client.then(
      (client) => client.tell(request),
      // The next call starts a worker, which gets this state from the sessions.
      () => undefined,
    );
  }

  async setVersion(next: PolicyVersion): Promise<void> {
    this.#versions.push(next);
    try {
      await this.call((client) => client.ask({ kind: "set-adapter", ...next }));
    } catch (error) {
      this.#versions.splice(this.#versions.lastIndexOf(next), 1);
      throw error;
    }
    this.#current = next;
    const used = new Set(Array.from(this.sessions, (session) => session.version)).add(next);
    const index = this.#versions.indexOf(next);
    this.#versions = this.#versions.filter((version, i) => i >= index || used.has(version));
  }

  /** The latest entry with this number. */
  versionOf(version: PolicyVersionId): PolicyVersion {
    const found = this.#versions.findLast((each) => each.version === version);
    if (found !== undefined) return found;
    throw new WaggleError("INTERNAL", `unknown policy version ${version}`);
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    const client = await this.#client.catch(() => null);
    await client?.ask({ kind: "dispose" }).catch(() => undefined);
    client?.fail(disposedError());
  }

  /** The current worker, or a new one. */
  async #alive(): Promise<WorkerClient> {
    if (this.#isDisposed) throw disposedError();
    const before = this.#client;
    const client = await before.catch(() => null);
    if (client !== null && !client.isDead) return client;
    // If several callers see the same death, the first one starts the next worker.
    if (this.#client === before) {
      this.#client = this.#restart();
      this.#client.catch(() => undefined);
    }
    return this.#client;
  }

  async #restart(): Promise<WorkerClient> {
    const client = await this.#start();
    try {
      for (const [adapterId, adapter] of this.loaded) {
        await client.ask({ kind: "load-adapter", adapterId, adapter });
      }
      const others = this.#versions.filter((version) => version !== this.#current);
      for (const version of [...others, this.#current]) {
        await client.ask({ kind: "set-adapter", ...version });
        await this.#restoreSessions(client, version);
      }
      return client;
    } catch (error) {
      client.fail(disposedError());
      throw error;
    }
  }

  async #restoreSessions(client: WorkerClient, version: PolicyVersion): Promise<void> {
    for (const session of this.sessions) {
      if (session.version !== version) continue;
      const { sessionId } = session;
      await client.ask({ kind: "restore-session", sessionId, snapshot: session.restorable() });
    }
  }
}
