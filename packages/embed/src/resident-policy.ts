/**
 * The policy of this page: loads it, swaps in newer versions, and loads it again after a fault. It reports
 * its status and leaves requests to the caller.
 */
import { withinTimeLimit } from "@waggle/collector";
import type { EdgeSession, KeyValueStorage, Schedule } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { PolicyManifest, Tool } from "@waggle/protocol";
import type { AgentStatus } from "./agent.ts";
import type { AgentHost, OpenHost, PolicyHost } from "./agent-host.ts";
import { untilPublished, WAITING_FOR_POLICY } from "./first-policy.ts";
import { PolicyFollower, type PolicyFailure } from "./policy-follower.ts";
import type { AcceptManifest } from "./publisher/accept-manifest.ts";
import type { RemoteTools } from "./remote-tools.ts";

/** Options of `ResidentPolicy`. */
export type ResidentPolicyOptions = {
  readonly session: EdgeSession;
  readonly storage: KeyValueStorage;
  /** Default: every manifest is accepted. */
  readonly accept?: AcceptManifest | undefined;
  /** Lists the tools of the edge and of MCP servers. */
  readonly listTools: RemoteTools["list"];
  /** Opens the first host. */
  readonly openHost: OpenHost;
  readonly onChange: (status: AgentStatus) => void;
  /** How long to wait for the newest manifest if an older one is stored. Default 4 s. */
  readonly patienceMs?: number;
  /** Default `setTimeout`. */
  readonly schedule?: Schedule | undefined;
};

/** Owns the loaded host and its status. */
export class ResidentPolicy {
  /** Opens the next host. */
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
  #remoteTools: readonly Tool[] = [];
  /** The published version, if it is not accepted. */
  #refused: PolicyFailure | null = null;
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

  /** The loaded host; `null` while nothing can sample. */
  get host(): AgentHost | null {
    return this.#host;
  }

  /** Tools that servers listed when the policy was opened. */
  get remoteTools(): readonly Tool[] {
    return this.#remoteTools;
  }

  /** Resolves when `host` is loaded; rejects if loading failed. */
  get ready(): Promise<void> {
    return this.#opening;
  }

  /** @throws WaggleError `DISPOSED` if the host is not loaded. */
  requireHost(): AgentHost {
    if (this.#host !== null) return this.#host;
    throw new WaggleError("DISPOSED", "the agent is not ready to answer; await its `ready` first");
  }

  /** Runs with the host once it is ready. After a lost device the policy is reopened for the next run. */
  async use<T>(run: (host: AgentHost) => Promise<T>): Promise<T> {
    await this.ready;
    const host = this.requireHost();
    try {
      return await run(host);
    } catch (error) {
      // If several runs fail together, only the first reopens the policy.
      if (WaggleError.is(error, "DEVICE_LOST") && this.#host === host) {
        this.reopen(Promise.resolve()).catch(() => undefined);
      }
      throw error;
    }
  }

  /** @returns true if the network came back and the policy should be reopened. */
  setOnline(online: boolean): boolean {
    this.#set({ online });
    return online && this.#needsReopening();
  }

  /** Forgets the last version that loaded here, and which signatures were seen. */
  forget(): void {
    this.#follower.clear();
    this.#options.storage.removeItem("waggle.signed");
  }

  /**
   * Adopts the version that the site publishes now, unless it is not accepted.
   * @returns false if the policy must be reopened: for another base model, or after a failure that may have
   *   passed.
   */
  async check(): Promise<boolean> {
    if (this.#needsReopening()) return false;
    const host = this.#host;
    if (host?.kind !== "policy" || !host.followsSite) return true;
    const manifest = await this.#accepted(await this.#options.session.policyManifest());
    if (manifest.baseModel.sha256 !== host.baseModel) return false;
    await this.#follow(host, manifest);
    return true;
  }

  /** Reopens the policy after `idle` resolves, because contexts of the old policy end with it. */
  reopen(idle: Promise<unknown>): Promise<void> {
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
    // Another model may be chosen while this one loads; then its progress is not reported.
    const isWanted = (): boolean => !this.#isDisposed && this.openHost === openHost;
    let manifest: PolicyManifest | null = null;
    try {
      const opening = openHost(
        () =>
          untilPublished({
            read: async () => (manifest = await this.#accepted(await this.#manifest())),
            onWait: () => {
              if (isWanted()) this.#set({ detail: WAITING_FOR_POLICY });
            },
            isWanted,
            schedule: this.#options.schedule,
          }),
        ({ loadedBytes, totalBytes, detail }) => {
          if (isWanted()) this.#set({ loadedBytes, totalBytes, detail });
        },
      );
      const listing = this.#options.listTools(opening);
      const [host, remoteTools] = await Promise.all([opening, listing]);
      if (!isWanted()) return await host.dispose();
      await this.#adoptFirst(host, manifest);
      if (!isWanted()) return await host.dispose();
      this.#host = host;
      this.#remoteTools = remoteTools;
      this.#set({ phase: "ready", detail: "" });
    } catch (error) {
      if (isWanted())
        this.#set({ phase: "error", error: describeError(error, this.#options.session.edgeUrl) });
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
    // Set first, so that no request is answered while another version loads.
    if (silenced !== this.#status.silenced) this.#set({ silenced });
    const { currentVersion } = host.policy;
    await this.#follower.follow(host, manifest);
    const policyFailure = this.#refused ?? this.#follower.failure;
    if (
      policyFailure !== this.#status.policyFailure ||
      currentVersion !== host.policy.currentVersion
    ) {
      this.#set({ policyFailure });
    }
  }

  #needsReopening(): boolean {
    const { phase, error } = this.#status;
    return phase === "error" && error?.retryable === true;
  }

  /** This manifest, or the last accepted one. */
  async #accepted(manifest: PolicyManifest): Promise<PolicyManifest> {
    const { accept } = this.#options;
    return accept?.(manifest, (failure) => (this.#refused = failure)) ?? manifest;
  }

  /** The newest manifest, or the stored one if the edge cannot be reached or does not respond in time. */
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

/**
 * The failure as the panel shows it.
 *
 * @param edgeUrl - only its failures are those of the assistant's server. Models may be on other servers.
 */
export function describeError(error: unknown, edgeUrl: string): NonNullable<AgentStatus["error"]> {
  if (WaggleError.is(error)) {
    const { code, retryable } = error;
    const address = /https?:\/\/\S+/.exec(error.message)?.[0] ?? edgeUrl;
    const message =
      code === "NETWORK" && address.startsWith(edgeUrl)
        ? "The assistant's server cannot be reached."
        : error.message.slice(0, 300);
    return { code, message, retryable };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "INTERNAL", message: message.slice(0, 300), retryable: true };
}
