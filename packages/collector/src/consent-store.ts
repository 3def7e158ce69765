/**
 * Whether this visitor agreed to the text that the page shows today. It stores a decision; it does
 * not ask for one, and it sends nothing.
 */
import { Consent, WaggleError } from "@waggle/protocol";
import type { KeyValueStorage } from "./key-value-storage.ts";

export type ConsentDecision = "granted" | "declined" | "undecided";

export interface ConsentStore {
  /** Version of the text a consent must name to count. */
  readonly currentVersion: string;
  /** The consent in force, or `null`: none given, withdrawn, or given to another text. */
  get(): Consent | null;
  /** `undecided` until the visitor answered the current text. */
  decision(): ConsentDecision;
  /** Records agreement to the current text. */
  grant(scopes?: Consent["scopes"]): Consent;
  /** Records a refusal, of a first question or of what was granted before. */
  withdraw(): void;
  /** Removes every trace of a decision; the question may be asked again. */
  clear(): void;
  /** Called after each change made through this store. @returns what ends it. */
  onChange(listener: () => void): () => void;
}

export type ConsentStoreOptions = {
  readonly storage: KeyValueStorage;
  /** 1 to 64 characters; change it with every change of meaning of the text. */
  readonly currentVersion: string;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly clock?: () => number;
  /** Default `waggle.consent`. */
  readonly key?: string;
};

/**
 * A consent store over `storage`. What cannot be read there counts as no consent.
 * @throws WaggleError `INVALID_ARGUMENT` for a version that is empty or longer than 64 characters.
 */
export function createConsentStore(options: ConsentStoreOptions): ConsentStore {
  const { storage, currentVersion, clock = Date.now, key = "waggle.consent" } = options;
  if (currentVersion.length < 1 || currentVersion.length > 64) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `currentVersion must have 1 to 64 characters, got ${currentVersion.length}; name the text by a short version such as "2026-11"`,
    );
  }
  const listeners = new Set<() => void>();
  const declinedKey = `${key}.declined`;
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const get = (): Consent | null => {
    const parsed = Consent.safeParse(parseJson(storage.getItem(key)));
    return parsed.success && parsed.data.version === currentVersion ? parsed.data : null;
  };
  return {
    currentVersion,
    get,
    decision() {
      if (get() !== null) return "granted";
      return storage.getItem(declinedKey) === currentVersion ? "declined" : "undecided";
    },
    grant(scopes = ["collect", "train"]) {
      const consent: Consent = {
        version: currentVersion,
        scopes: [...scopes],
        grantedAt: new Date(clock()).toISOString(),
      };
      storage.setItem(key, JSON.stringify(consent));
      storage.removeItem(declinedKey);
      changed();
      return consent;
    },
    withdraw() {
      storage.removeItem(key);
      storage.setItem(declinedKey, currentVersion);
      changed();
    },
    clear() {
      storage.removeItem(key);
      storage.removeItem(declinedKey);
      changed();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The JSON value of `text`, or `null` where there is none. */
export function parseJson(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
