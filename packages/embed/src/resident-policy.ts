/**
 * The policy of this page: loaded, swapped for a newer version, loaded again after a fault. It says how far
 * it is; it answers nobody.
 */
import { withinTimeLimit } from "@waggle/collector";
import type { EdgeSession, KeyValueStorage, Schedule } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { PolicyManifest, Tool } from "@waggle/protocol";
import type { AgentStatus } from "./agent.ts";
import type { EdgeTools } from "./edge-tools.ts";
import type { AgentHost, OpenHost, PolicyHost } from "./agent-host.ts";
import { untilPublished } from "./first-policy.ts";
import { PolicyFollower } from "./policy-follower.ts";

export type ResidentPolicyOptions = {
  readonly session: EdgeSession;
  readonly storage: KeyValueStorage;
  readonly edgeTools: EdgeTools;
  /** What the first host is opened with. */
  readonly openHost: OpenHost;
  readonly onChange: (status: AgentStatus) => void;
  /** How long the newest manifest is waited for where one is stored. Default 4 s. */
  readonly patienceMs?: number;
  /** Default `setTimeout`. */
  readonly schedule?: Schedule | undefined;
};

export class ResidentPolicy {
  /** What the next host is opened with. */
  openHost: OpenHost;
  readonly #options: ResidentPolicyOptions;
  readonly #follower: PolicyFollower;
  #status: AgentStatus = {
    phase: "loading",
    detail: "",
    loadedBytes: 0,
    totalBytes: null,
    online: globalThis.navigator?.onLine !== false,
    silenced: false,
    policyFailure: null,
    error: null,
  };
  #host: AgentHost | null = null;
  #edgeTools: readonly Tool[] = [];
  #opening: Promise<void>;
  #isDisposed = false;

  constructor(options: ResidentPolicyOptions) {
    this.#options = options;
    this.#follower = new PolicyFollower(options);
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

  /** Runs with the host once it is ready; after a lost device the policy is opened again for the next run. */
  async use<T>(run: (host: AgentHost) => Promise<T>): Promise<T> {
    await this.ready;
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

  /** @returns true where it should be opened again, now that there is a network. */
  setOnline(online: boolean): boolean {
    this.#set({ online });
    return online && this.#isToBeOpenedAgain();
  }

  /** Forgets the last version that loaded here. */
  forget(): void {
    this.#follower.clear();
  }

  /**
   * Adopts what the site publishes now.
   * @returns false where it must be opened again: for another base model, or after a failure that may
   *   have passed.
   */
  async check(): Promise<boolean> {
    if (this.#isToBeOpenedAgain()) return false;
    const host = this.#host;
    if (host?.kind !== "policy" || !host.followsSite) return true;
    const manifest = await this.#options.session.policyManifest();
    if (manifest.baseModel.sha256 !== host.baseModel) return false;
    await this.#follow(host, manifest);
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
    let manifest: PolicyManifest | null = null;
    try {
      const opening = openHost(
        () =>
          untilPublished({
            read: async () => (manifest = await this.#manifest()),
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
      await this.#adoptFirst(host, manifest);
      if (!isWanted()) return await host.dispose();
      this.#host = host;
      this.#edgeTools = edgeTools;
      this.#set({ phase: "ready", detail: "" });
    } catch (error) {
      if (isWanted()) this.#set({ phase: "error", error: describeError(error) });
      throw error;
    }
  }

  async #adoptFirst(host: AgentHost, manifest: PolicyManifest | null): Promise<void> {
    if (host.kind !== "policy" || !host.followsSite || manifest === null) {
      this.#set({ silenced: false, policyFailure: null });
      return;
    }
    try {
      await this.#follow(host, manifest);
    } catch (error) {
      await host.dispose();
      throw error;
    }
  }

  async #follow(host: PolicyHost, manifest: PolicyManifest): Promise<void> {
    const silenced = manifest.silenced === true;
    // First: nothing is answered while another version loads.
    if (silenced !== this.#status.silenced) this.#set({ silenced });
    const { currentVersion } = host.policy;
    await this.#follower.follow(host, manifest);
    const { failure: policyFailure } = this.#follower;
    if (
      policyFailure !== this.#status.policyFailure ||
      currentVersion !== host.policy.currentVersion
    ) {
      this.#set({ policyFailure });
    }
  }

  #isToBeOpenedAgain(): boolean {
    const { phase, error } = this.#status;
    return phase === "error" && error?.retryable === true;
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
    this.#options.onChange(this.#status);
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
