/**
 * The id with which this browser identifies itself to the edge. Without consent it lasts for one visit and stays in
 * memory. A lasting id is stored while there is consent and removed from storage when consent is withdrawn.
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
  /** Stores the token of an opened session. */
  keep(token: string, isRemembered: boolean): void;
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
  const deletionKey = `${keyPrefix}.deletion`;
  const withdrawn = new Set<string>();
  let visitToken: string | null = null;

  const isRemembered = (): boolean => consent.get() !== null;
  const pending = (): string[] => {
    const tokens = parseJson(storage.getItem(deletionKey));
    return Array.isArray(tokens) ? tokens.filter((token) => typeof token === "string") : [];
  };
  const setPending = (tokens: readonly string[]): void => {
    if (tokens.length === 0) storage.removeItem(deletionKey);
    else storage.setItem(deletionKey, JSON.stringify(tokens));
  };
  const change = (): void => {
    visitToken = null;
    const stored = storage.getItem(tokenKey);
    if (stored === null || isRemembered()) return;
    withdrawn.add(stored);
    storage.removeItem(tokenKey);
  };
  change();

  return {
    get isRemembered() {
      return isRemembered();
    },
    token: () => (isRemembered() ? storage.getItem(tokenKey) : visitToken),
    keep(token, remembered) {
      if (!remembered) visitToken = token;
      else if (isRemembered()) storage.setItem(tokenKey, token);
      else withdrawn.add(token);
    },
    change,
    pendingDeletions: pending,
    requestDeletion() {
      const stored = storage.getItem(tokenKey);
      setPending([...new Set([...pending(), ...withdrawn, ...(stored === null ? [] : [stored])])]);
      storage.removeItem(tokenKey);
      withdrawn.clear();
    },
    confirmDeletion(token) {
      setPending(pending().filter((other) => other !== token));
    },
    clear() {
      visitToken = null;
      withdrawn.clear();
      storage.removeItem(tokenKey);
      storage.removeItem(deletionKey);
    },
  };
}
