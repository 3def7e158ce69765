/**
 * The policy of this page: loaded, swapped for a newer version, loaded again after a fault. It says how far
 * it is; it answers nobody.
 */
import { withinTimeLimit } from "@waggle/collector";
import type { EdgeSession, Schedule } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { PolicyManifest, Tool } from "@waggle/protocol";
import type { AgentStatus } from "./agent.ts";
import type { EdgeTools } from "./edge-tools.ts";
import type { AgentHost, OpenHost } from "./agent-host.ts";
import { untilPublished } from "./first-policy.ts";

export type ResidentPolicyOptions = {
  readonly session: EdgeSession;
  readonly edgeTools: EdgeTools;
  /** What the first host is opened with. */
  readonly openHost: OpenHost;
  readonly onChange: () => void;
  /** How long the newest manifest is waited for where one is stored. Default 4 s. */
  readonly patienceMs?: number;
  /** Default `setTimeout`. */
  readonly schedule?: Schedule | undefined;
};

export class ResidentPolicy {
  /** What the next host is opened with. */
  openHost: OpenHost;
  readonly #options: ResidentPolicyOptions;
  #status: AgentStatus = {
    phase: "loading",
    detail: "",
    loadedBytes: 0,
    totalBytes: null,
    online: globalThis.navigator?.onLine !== false,
    error: null,
  };
  #host: AgentHost | null = null;
  #edgeTools: readonly Tool[] = [];
  #opening: Promise<void>;
  #isDisposed = false;

  constructor(options: ResidentPolicyOptions) {
    this.#options = options;
    this.openHost = options.openHost;
    this.#opening = this.#open();
    this.#opening.catch(() => undefined);
  }

  get status(): AgentStatus {
    return this.#status;
  }

  /** What can sample now, `null` while nothing can. */
  get host(): AgentHost | null {
    return this.#host;
  }

  /** As the edge listed them when the policy was opened. */
  get edgeTools(): readonly Tool[] {
    return this.#edgeTools;
  }

  /** Resolves when `host` is there; rejects where opening it failed. */
  get ready(): Promise<void> {
    return this.#opening;
  }

  /** @throws WaggleError `DISPOSED` before it is ready. */
  requireHost(): AgentHost {
    if (this.#host !== null) return this.#host;
    throw new WaggleError(
      "DISPOSED",
      "an agent must be ready to answer, got one that is not; await ready",
    );
  }

  /** Runs with the host; where its device is lost the policy is opened again for who comes next. */
  async use<T>(run: (host: AgentHost) => Promise<T>): Promise<T> {
    const host = this.requireHost();
    try {
      return await run(host);
    } catch (error) {
      // Of several that failed together only the first opens it again.
      if (WaggleError.is(error, "DEVICE_LOST") && this.#host === host) {
        this.reopen(Promise.resolve()).catch(() => undefined);
      }
      throw error;
    }
  }

  setOnline(online: boolean): void {
    this.#set({ online });
  }

  /**
   * Adopts a newer version.
   * @returns false where it must be opened again: for another base model, or after a failure that may
   *   have passed.
   */
  async check(): Promise<boolean> {
    const { phase, error } = this.#status;
    if (phase === "error" && error?.retryable === true) return false;
    const host = this.#host;
    if (host?.kind !== "policy" || !host.followsSite) return true;
    const manifest = await this.#options.session.policyManifest();
    if (manifest.baseModel.sha256 !== host.baseModel) return false;
    if (manifest.policy.version !== host.policy.currentVersion) {
      await host.adopt(manifest);
      this.#options.onChange();
    }
    return true;
  }

  /** Opens again, after `idle`: contexts of the old policy end with it. */
  reopen(idle: Promise<void>): Promise<void> {
    const old = this.#host;
    this.#host = null;
    const opening = (async () => {
      await idle;
      await old?.dispose();
      await this.#open();
    })();
    this.#opening = opening;
    opening.catch(() => undefined);
    return opening;
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    const host = this.#host;
    this.#host = null;
    await host?.dispose();
  }

  async #open(): Promise<void> {
    this.#set({ phase: "loading", detail: "", error: null, loadedBytes: 0, totalBytes: null });
    const { openHost } = this;
    // Another model may be chosen while this one loads; nobody is told of it then.
    const isWanted = (): boolean => !this.#isDisposed && this.openHost === openHost;
    try {
      const opening = openHost(
        () =>
          untilPublished({
            read: () => this.#manifest(),
            onWait: () => {
              if (isWanted()) this.#set({ detail: "waiting for the site's first policy" });
            },
            isWanted,
            schedule: this.#options.schedule,
          }),
        ({ loadedBytes, totalBytes, detail }) => {
          if (isWanted()) this.#set({ loadedBytes, totalBytes, detail });
        },
      );
      const listing = this.#options.edgeTools.list(opening);
      const [host, edgeTools] = await Promise.all([opening, listing]);
      if (!isWanted()) return await host.dispose();
      this.#host = host;
      this.#edgeTools = edgeTools;
      this.#set({ phase: "ready", detail: "" });
    } catch (error) {
      if (isWanted()) this.#set({ phase: "error", error: describeError(error) });
      throw error;
    }
  }

  /** The newest manifest, or that of the last visit where the edge cannot be reached or keeps silent. */
  async #manifest(): Promise<PolicyManifest> {
    const { session, schedule, patienceMs: limitMs = 4000 } = this.#options;
    const stored = session.storedManifest();
    if (stored === null) return session.policyManifest();
    try {
      return await withinTimeLimit({ limitMs, schedule }, (signal) =>
        session.policyManifest(signal),
      );
    } catch (error) {
      if (!WaggleError.is(error) || !error.retryable) throw error;
      return stored;
    }
  }

  #set(change: Partial<AgentStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#options.onChange();
  }
}

/** What a panel says about a failure. */
export function describeError(error: unknown): NonNullable<AgentStatus["error"]> {
  if (WaggleError.is(error)) {
    const { code, retryable } = error;
    const message =
      code === "NETWORK"
        ? "The assistant's server cannot be reached."
        : error.message.slice(0, 300);
    return { code, message, retryable };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "INTERNAL", message: message.slice(0, 300), retryable: true };
}
