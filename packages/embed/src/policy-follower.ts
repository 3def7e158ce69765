/**
 * Brings a host to the version that the site publishes. A version that does not load is reported once and
 * retried later. Until then the page runs an older version that loaded here, or the base.
 */
import { readPageData } from "@waggle/collector";
import type { KeyValueStorage } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { PolicyManifest, PolicyVersionId } from "@waggle/protocol";
import type { PolicyHost } from "./agent-host.ts";

/** A published version that could not be loaded. */
export type PolicyFailure = {
  readonly version: PolicyVersionId;
  readonly code: string;
  /** For developers. */
  readonly message: string;
};

/** Options of `PolicyFollower`. */
export type PolicyFollowerOptions = {
  /** Holds the manifest of the last version that loaded. It contains nothing about the visitor. */
  readonly storage: KeyValueStorage;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly clock?: (() => number) | undefined;
};

/** Wait before the first retry of a failed version, and how the wait grows. */
const FIRST_RETRY_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;
const STORED = "waggle.lastGoodPolicy";

type FailedLoads = { readonly key: string; readonly count: number; readonly retryAt: number };

/** Follows the published version, with fallback and retries. */
export class PolicyFollower {
  readonly #storage: KeyValueStorage;
  readonly #clock: () => number;
  #failure: PolicyFailure | null = null;
  #failedLoads: FailedLoads | null = null;
  /** Key of the stored manifest, to write it only once. */
  #storedKey: string | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ storage, clock = Date.now }: PolicyFollowerOptions) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** The published version that does not load here; `null` while the page runs the published version. */
  get failure(): PolicyFailure | null {
    return this.#failure;
  }

  /**
   * Adopts the manifest's version, or an older one if it does not load. Calls must not overlap.
   * @throws the host's error if not even the base can be adopted.
   */
  follow(host: PolicyHost, manifest: PolicyManifest): Promise<void> {
    const following = this.#last.then(() => this.#follow(host, manifest));
    this.#last = following.catch(() => undefined);
    return following;
  }

  /** Forgets the last version that loaded. */
  clear(): void {
    this.#storedKey = null;
    this.#storage.removeItem(STORED);
  }

  async #follow(host: PolicyHost, manifest: PolicyManifest): Promise<void> {
    const key = keyOf(manifest);
    const isWaiting = this.#failedLoads?.key === key && this.#clock() < this.#failedLoads.retryAt;
    if (!isWaiting) {
      try {
        await host.adopt(manifest);
        this.#succeed(key, manifest);
        return;
      } catch (error) {
        this.#fail(key, manifest, error);
      }
    }
    await this.#fallBack(host, manifest);
  }

  #succeed(key: string, manifest: PolicyManifest): void {
    this.#failure = null;
    this.#failedLoads = null;
    if (this.#storedKey === key) return;
    // The base needs no fallback, and a return to it must not bring an older version back.
    if (manifest.policy.version === 0) this.clear();
    else this.#storage.setItem(STORED, JSON.stringify(manifest));
    this.#storedKey = key;
  }

  #fail(key: string, { policy: { version } }: PolicyManifest, error: unknown): void {
    const count = this.#failedLoads?.key === key ? this.#failedLoads.count + 1 : 1;
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** (count - 1), MAX_RETRY_MS);
    this.#failedLoads = { key, count, retryAt: this.#clock() + waitMs };
    // A second failure of the same version is not reported again.
    if (count > 1) return;
    const message = error instanceof Error ? error.message.slice(0, 300) : String(error);
    this.#failure = { version, code: WaggleError.is(error) ? error.code : "INTERNAL", message };
  }

  /** Runs an older version. Newer ones are excluded, because the operator took them back. */
  async #fallBack(host: PolicyHost, manifest: PolicyManifest): Promise<void> {
    const isOlder = (version: PolicyVersionId): boolean =>
      version > 0 && version < manifest.policy.version;
    if (isOlder(host.policy.currentVersion)) return;
    const good = this.#lastGood();
    if (
      good !== null &&
      isOlder(good.policy.version) &&
      good.baseModel.sha256 === manifest.baseModel.sha256
    ) {
      try {
        return await host.adopt(good);
      } catch {
        this.clear();
      }
    }
    await host.adopt(baseOf(manifest));
  }

  #lastGood(): PolicyManifest | null {
    try {
      // `null` if nothing is stored, or another release stored it.
      return readPageData("PolicyManifest", JSON.parse(this.#storage.getItem(STORED) ?? "null"));
    } catch {
      return null;
    }
  }
}

/** Identifies the files to load: a version that is published again with other files is tried at once. */
function keyOf({ policy, baseModel }: PolicyManifest): string {
  const { version, adapter, guidance } = policy;
  return [baseModel.sha256, version, adapter?.sha256, guidance?.sha256].join(" ");
}

/** Version 0 of the same base model: no adapter and no guidance. */
function baseOf(manifest: PolicyManifest): PolicyManifest {
  const { guidance: _, ...policy } = manifest.policy;
  return { ...manifest, policy: { ...policy, version: 0, parent: null, adapter: null } };
}
