/**
 * The id with which this browser identifies itself to the edge. Without consent it lasts for one visit and stays in
 * memory. A lasting id is stored while there is consent and removed from storage when consent is withdrawn.
 *
 * Ids that were left for new ones are stored under a key of their own, so that the visitor can read and delete what was sent
 * under them.
 *
 * A removed id stays in memory until the page is closed, so that "forget me" can still delete what was sent under
 * it. Ids whose deletion the edge has not confirmed are stored under a separate key, and the deletion is retried at
 * the next visit.
 */
import { parseJson } from "./consent-store.ts";
import type { ConsentStore } from "./consent-store.ts";
import type { KeyValueStorage } from "./key-value-storage.ts";

/** The visitor's tokens and pending deletions. */
export interface VisitorIdentity {
  /** Whether there is consent now, including changes made in another tab. */
  readonly isRemembered: boolean;
  /** Token to open the next session with; `null` requests a new id. */
  token(): string | null;
  /** Stores the token of an opened session, and whose it is. */
  keep(token: string, visitorId: string, isRemembered: boolean): void;
  /** Whether the lasting id is this one. Another tab may have left it, or got another one. */
  isLasting(visitorId: string): boolean;
  /** Tokens of ids that were left with `rotate`, newest first. */
  earlier(): readonly string[];
  /** Leaves the lasting id. The next session gets a new one. */
  rotate(): void;
  /** Drops the visit's id, and the stored one if there is no consent. */
  change(): void;
  /** Lasting tokens whose visitors must still be deleted at the edge. */
  pendingDeletions(): readonly string[];
  /** Marks every lasting token of this browser for deletion. */
  requestDeletion(): void;
  confirmDeletion(token: string): void;
  /** Removes everything, including pending deletions. */
  clear(): void;
}

/** Tokens of earlier ids that are kept. */
const MOST_EARLIER = 50;

/** Where tokens are stored, and under which prefix. */
export type VisitorIdentityOptions = {
  readonly storage: KeyValueStorage;
  readonly consent: Pick<ConsentStore, "get">;
  readonly keyPrefix: string;
};

/** Reads the stored identity. A lasting id that is stored without consent is removed at once. */
export function createVisitorIdentity(options: VisitorIdentityOptions): VisitorIdentity {
  const { storage, consent, keyPrefix } = options;
  const tokenKey = `${keyPrefix}.visitorToken`;
  /** Absent if a page of the previous release stored the token. */
  const idKey = `${keyPrefix}.visitorId`;
  const earlierKey = `${keyPrefix}.earlierTokens`;
  const deletionKey = `${keyPrefix}.deletion`;
  const withdrawn = new Set<string>();
  let visitToken: string | null = null;

  const isRemembered = (): boolean => consent.get() !== null;
  const read = (key: string): string[] => {
    const tokens = parseJson(storage.getItem(key));
    return Array.isArray(tokens) ? tokens.filter((token) => typeof token === "string") : [];
  };
  const write = (key: string, tokens: readonly string[]): void => {
    if (tokens.length === 0) storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(tokens));
  };
  const pending = (): string[] => read(deletionKey);
  /** The lasting tokens of this browser, newest first. */
  const lasting = (): string[] => {
    const stored = storage.getItem(tokenKey);
    return [...(stored === null ? [] : [stored]), ...read(earlierKey)];
  };
  const dropLasting = (): void => {
    storage.removeItem(tokenKey);
    storage.removeItem(idKey);
    storage.removeItem(earlierKey);
  };
  const change = (): void => {
    visitToken = null;
    if (isRemembered()) return;
    for (const token of lasting()) withdrawn.add(token);
    dropLasting();
  };
  change();

  return {
    get isRemembered() {
      return isRemembered();
    },
    token: () => (isRemembered() ? storage.getItem(tokenKey) : visitToken),
    keep(token, visitorId, remembered) {
      if (!remembered) visitToken = token;
      else if (!isRemembered()) withdrawn.add(token);
      else {
        storage.setItem(tokenKey, token);
        storage.setItem(idKey, visitorId);
      }
    },
    isLasting(visitorId) {
      const stored = storage.getItem(idKey) ?? visitorId;
      return storage.getItem(tokenKey) !== null && stored === visitorId;
    },
    earlier: () => read(earlierKey),
    rotate() {
      write(earlierKey, lasting().slice(0, MOST_EARLIER));
      storage.removeItem(tokenKey);
      storage.removeItem(idKey);
    },
    change,
    pendingDeletions: pending,
    requestDeletion() {
      write(deletionKey, [...new Set([...pending(), ...withdrawn, ...lasting()])]);
      dropLasting();
      withdrawn.clear();
    },
    confirmDeletion(token) {
      write(
        deletionKey,
        pending().filter((other) => other !== token),
      );
    },
    clear() {
      visitToken = null;
      withdrawn.clear();
      dropLasting();
      storage.removeItem(deletionKey);
    },
  };
}
