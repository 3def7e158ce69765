/**
 * Stores whether the visitor consented to the text that the page shows today. It does not ask for consent
 * and sends nothing.
 */
import { CONSENT_DAYS, consentScopes, isConsentCurrent, WaggleError } from "@waggle/protocol";
import type { Consent } from "@waggle/protocol";
import type { KeyValueStorage } from "./key-value-storage.ts";
import { readPageData } from "./page-data.ts";

/** The visitor's answer to the current text. */
export type ConsentDecision = "granted" | "declined" | "undecided";

/** What a visitor read before agreeing, as one text. */
export type ShownText = {
  readonly text: string;
  /** BCP 47, such as `de`. */
  readonly language?: string;
};

/** Receipts of the visitor's consents are stored under this key. */
export const RECEIPTS_KEY = "waggle.receipts";
/** Receipts of withdrawn consents that the edge has not confirmed are stored under this key. */
export const WITHDRAWALS_KEY = "waggle.withdrawals";

/** The visitor's decision and changes to it. */
export interface ConsentStore {
  /** Version of the current text. A consent to any other version does not count. */
  readonly currentVersion: string;
  /** Whether the visitor chooses each scope. */
  readonly hasChoices: boolean;
  /** The consent in force; `null` if none was given, it was withdrawn, has expired, or was given to another text. */
  get(): Consent | null;
  /** Whether what was recorded under a consent may be sent now: it is in force, and so are all of its scopes. */
  covers(recorded: Consent): boolean;
  /** `undecided` until the visitor has answered the current text. */
  decision(): ConsentDecision;
  /** Whether the edge has not confirmed a withdrawal of this browser yet. */
  readonly isWithdrawing: boolean;
  /**
   * Records consent to the current text.
   * @param scopes - default: all that the site asks for.
   * @param shown - the text, for the receipt. Without it the receipt does not say which text was shown.
   */
  grant(scopes?: Consent["scopes"], shown?: ShownText): Consent;
  /** The text under which this consent was given; `null` if it is not known. */
  shownText(consent: Consent): ShownText | null;
  /**
   * Moves the time of the consent in force to the start of its day, so that the visitor's next id cannot be recognized by it.
   * What was recorded under the exact time is not covered any more.
   */
  coarsen(): void;
  /** Records a refusal, or withdraws an earlier consent. */
  withdraw(): void;
  /** Removes the decision. The visitor may be asked again. */
  clear(): void;
  /** Calls the listener after each change, also of another tab. @returns a function that unsubscribes. */
  onChange(listener: () => void): () => void;
}

/** The storage and the version of the text. */
export type ConsentStoreOptions = {
  readonly storage: KeyValueStorage;
  /** 1 to 64 characters. Change it whenever the meaning of the text changes. */
  readonly currentVersion: string;
  /** Target of the `storage` events that tell of changes in other tabs, such as `window`. Default: they are not noticed. */
  readonly tabs?: EventTarget | undefined;
  /** Days after which the visitor is asked again. Default `CONSENT_DAYS`. */
  readonly expiresAfterDays?: number;
  /** Default false: one consent covers all scopes. */
  readonly hasChoices?: boolean;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly clock?: () => number;
  /** Default `waggle.consent`. */
  readonly key?: string;
};

/**
 * A consent store over `storage`. An unreadable record counts as no consent.
 * @throws WaggleError `INVALID_ARGUMENT` for a version that is empty or longer than 64 characters.
 */
export function createConsentStore(options: ConsentStoreOptions): ConsentStore {
  const { storage, currentVersion, clock = Date.now, key = "waggle.consent" } = options;
  const { expiresAfterDays = CONSENT_DAYS, hasChoices = false } = options;
  if (currentVersion.length < 1 || currentVersion.length > 64) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `currentVersion has ${currentVersion.length} characters; use 1 to 64, such as "2026-11"`,
    );
  }
  const listeners = new Set<() => void>();
  const declinedKey = `${key}.declined`;
  const shownKey = `${key}.shown`;
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const onStorage = (event: Event): void => {
    // Without a key, all of the storage was cleared.
    const { key: changedKey = null } = event as Partial<StorageEvent>;
    if (changedKey === null || changedKey.startsWith(key)) changed();
  };
  const isInForce = (consent: Consent): boolean =>
    consent.version === currentVersion && isConsentCurrent(consent, expiresAfterDays, clock());
  const shownText = ({ grantedAt }: Consent): ShownText | null => {
    const stored = parseJson(storage.getItem(shownKey)) as Partial<ShownText & Consent> | null;
    return stored?.grantedAt === grantedAt && stored.text ? (stored as ShownText) : null;
  };
  const store = (consent: Consent, shown: ShownText | null = null): void => {
    storage.setItem(key, JSON.stringify(consent));
    storage.setItem(shownKey, JSON.stringify({ ...shown, grantedAt: consent.grantedAt }));
  };
  const get = (): Consent | null => {
    const stored = readPageData("Consent", parseJson(storage.getItem(key)));
    return stored !== null && isInForce(stored) ? stored : null;
  };
  const decision = (): ConsentDecision => {
    if (get() !== null) return "granted";
    return storage.getItem(declinedKey) === currentVersion ? "declined" : "undecided";
  };
  return {
    currentVersion,
    hasChoices,
    get,
    covers(recorded) {
      const current = get();
      if (current === null || !isInForce(recorded)) return false;
      // The one in force was given first only if `coarsen` has moved it.
      if (Date.parse(recorded.grantedAt) > Date.parse(current.grantedAt)) return false;
      const allowed = consentScopes(current);
      return consentScopes(recorded).every((scope) => allowed.includes(scope));
    },
    get isWithdrawing() {
      if (storage.getItem(WITHDRAWALS_KEY) !== null) return true;
      // A page that was closed at the withdrawal may not have moved its receipts.
      return decision() === "declined" && storage.getItem(RECEIPTS_KEY) !== null;
    },
    decision,
    grant(scopes = hasChoices ? ["collect", "train", "feedback"] : ["collect", "train"], shown) {
      const consent: Consent = {
        version: currentVersion,
        scopes: [...scopes],
        ...(hasChoices && { choices: true }),
        grantedAt: new Date(clock()).toISOString(),
      };
      store(consent, shown);
      storage.removeItem(declinedKey);
      changed();
      return consent;
    },
    shownText,
    coarsen() {
      const current = get();
      if (current === null) return;
      const grantedAt = `${current.grantedAt.slice(0, 10)}T00:00:00.000Z`;
      store({ ...current, grantedAt }, shownText(current));
      changed();
    },
    withdraw() {
      // In this order, because other tabs look at both when the consent is removed.
      storage.setItem(declinedKey, currentVersion);
      storage.removeItem(key);
      changed();
    },
    clear() {
      storage.removeItem(key);
      storage.removeItem(declinedKey);
      storage.removeItem(shownKey);
      changed();
    },
    onChange(listener) {
      // An agent that was removed from the page leaves nothing behind on `window`.
      if (listeners.size === 0) options.tabs?.addEventListener("storage", onStorage);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) options.tabs?.removeEventListener("storage", onStorage);
      };
    },
  };
}

/** The parsed JSON; `null` for `null` or invalid JSON. */
export function parseJson(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
