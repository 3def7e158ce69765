/**
 * Brings a host to the version that the site publishes. A version that does not load is reported once and
 * tried again later; until then the page runs an older version that loaded here, or the base.
 */
import type { KeyValueStorage } from "@waggle/collector";
import { PolicyManifest, WaggleError } from "@waggle/protocol";
import type { PolicyVersionId } from "@waggle/protocol";
import type { PolicyHost } from "./agent-host.ts";

/** A published version that could not be loaded. */
export type PolicyFailure = {
  readonly version: PolicyVersionId;
  readonly code: string;
  /** For developers. */
  readonly message: string;
};

export type PolicyFollowerOptions = {
  /** Keeps the manifest of the last version that loaded. It says nothing of the visitor. */
  readonly storage: KeyValueStorage;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly clock?: (() => number) | undefined;
};

/** What is waited before a version that failed is tried again, and how it grows. */
const FIRST_RETRY_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;
const STORED = "waggle.lastGoodPolicy";

type Attempts = { readonly key: string; readonly count: number; readonly retryAt: number };

export class PolicyFollower {
  readonly #storage: KeyValueStorage;
  readonly #clock: () => number;
  #failure: PolicyFailure | null = null;
  #attempts: Attempts | null = null;
  /** Names what is stored, so that it is written once. */
  #storedKey: string | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ storage, clock = Date.now }: PolicyFollowerOptions) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** The published version that does not load here, `null` while the page runs what is published. */
  get failure(): PolicyFailure | null {
    return this.#failure;
  }

  /**
   * Adopts the manifest's version or, where it does not load, an older one. One call at a time.
   * @throws what the host throws where not even the base can be adopted.
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
    const isWaiting = this.#attempts?.key === key && this.#clock() < this.#attempts.retryAt;
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
    this.#attempts = null;
    if (this.#storedKey === key) return;
    // The base needs no memory, and an operator who goes back to it must not see an older version again.
    if (manifest.policy.version === 0) this.clear();
    else this.#storage.setItem(STORED, JSON.stringify(manifest));
    this.#storedKey = key;
  }

  #fail(key: string, { policy: { version } }: PolicyManifest, error: unknown): void {
    const count = this.#attempts?.key === key ? this.#attempts.count + 1 : 1;
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** (count - 1), MAX_RETRY_MS);
    this.#attempts = { key, count, retryAt: this.#clock() + waitMs };
    // Said once: a second failure of the same version changes nothing.
    if (count > 1) return;
    const message = error instanceof Error ? error.message.slice(0, 300) : String(error);
    this.#failure = { version, code: WaggleError.is(error) ? error.code : "INTERNAL", message };
  }

  /** A version after the wanted one was taken back by the operator, so only an older one may run. */
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
      return PolicyManifest.parse(JSON.parse(this.#storage.getItem(STORED) ?? "null"));
    } catch {
      // Nothing is stored, or another release stored it.
      return null;
    }
  }
}

/** Names what would be loaded: a version that is published again with other files is tried at once. */
function keyOf({ policy, baseModel }: PolicyManifest): string {
  const { version, adapter, guidance } = policy;
  return [baseModel.sha256, version, adapter?.sha256, guidance?.sha256].join(" ");
}

/** Version 0 of the same base model: no adapter, no text. */
function baseOf(manifest: PolicyManifest): PolicyManifest {
  const { guidance: _, ...policy } = manifest.policy;
  return { ...manifest, policy: { ...policy, version: 0, parent: null, adapter: null } };
}
