/**
 * Receipts of this visitor's consents, signed by the edge. The uploader asks for one before it sends anything under a consent.
 * After a withdrawal, the receipts of all ids of this browser go back to the edge, which then records it. Until the edge has
 * confirmed each, the page tries again, in this visit and in later ones.
 */
import { canonicalJson, isObject, sha256, WaggleError } from "@waggle/protocol";
import type { Consent, ConsentReceipt, ConsentRequest } from "@waggle/protocol";
import { parseJson, RECEIPTS_KEY, WITHDRAWALS_KEY } from "./consent-store.ts";
import type { ConsentStore } from "./consent-store.ts";
import { isRetryableStatus } from "./edge-session.ts";
import type { EdgeSession } from "./edge-session.ts";
import type { KeyValueStorage } from "./key-value-storage.ts";
import { readPageData } from "./page-data.ts";
import { retryAfterMs } from "./retry-after.ts";
import { scheduleTimeout } from "./time-limit.ts";
import type { Schedule } from "./time-limit.ts";

/** Before this time, no withdrawal of a further id is sent, in whichever page. Milliseconds since 1970. */
const NEXT_KEY = `${WITHDRAWALS_KEY}.next`;
/** Receipts that are kept; the oldest are dropped. */
const MOST = 100;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 300_000;
/** Longest pause between the withdrawals of two ids, so that their times do not say that both are of one browser. */
const LONGEST_PAUSE_MS = 600_000;

/** The visitor's receipts in this browser. */
export interface ConsentReceipts {
  /** Oldest first. */
  list(): readonly ConsentReceipt[];
  /**
   * Asks for a receipt of each of these consents, unless there is one for the session's visitor. A refusal counts as an
   * answer: the edge then refuses what is sent under that consent.
   * @throws WaggleError with the code of the failure, if the edge did not answer
   */
  request(consents: readonly Consent[]): Promise<void>;
  /** Asks for receipts again. Those that the page has stay until then. @returns false if this page has done so before */
  renew(): boolean;
  /** Removes the receipts, and those that are under way. Withdrawals that the edge has not confirmed stay. */
  clear(): void;
  /** Stops watching for withdrawals and sending them. */
  close(): void;
}

/** What the receipts belong to, and where they are kept. */
export type ConsentReceiptsOptions = {
  readonly session: Pick<EdgeSession, "request" | "token" | "visitorId">;
  readonly consent: Pick<ConsentStore, "decision" | "onChange" | "shownText">;
  readonly storage: KeyValueStorage;
  /** Called after each new receipt and each withdrawal that the edge has confirmed. */
  readonly onReceipt?: () => void;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly clock?: () => number;
  /** In [0, 1). Default `Math.random`. */
  readonly random?: () => number;
  /** Default `setTimeout`. */
  readonly schedule?: Schedule;
};

/** Opens the receipts, and sends withdrawals that are due. */
export function createConsentReceipts(options: ConsentReceiptsOptions): ConsentReceipts {
  const { session, consent, storage, clock = Date.now, random = Math.random } = options;
  const { schedule = scheduleTimeout } = options;
  /** Consents for which the edge gave no receipt, until the page is closed. */
  const refused = new Set<string>();
  /** Consents whose receipts the edge may have lost. */
  const lost = new Set<string>();
  let isRenewed = false;
  let clearings = 0;
  let failures = 0;
  let isSending = false;
  let isClosed = false;
  let cancelTimer: (() => void) | null = null;

  const read = (key: string): ConsentReceipt[] => {
    const stored = parseJson(storage.getItem(key));
    return Array.isArray(stored) ? stored.filter(isReceipt) : [];
  };
  const write = (key: string, receipts: readonly ConsentReceipt[]): void => {
    if (receipts.length === 0) storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(receipts.slice(-MOST)));
  };

  const post = (path: string, body: object): Promise<Response> =>
    session.request(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  const requestOne = async (given: Consent): Promise<void> => {
    await session.token();
    const { visitorId } = session;
    const name = `${visitorId} ${canonicalJson(given)}`;
    const isKnown = read(RECEIPTS_KEY).some((receipt) => nameOf(receipt) === name);
    if ((isKnown && !lost.has(name)) || refused.has(name)) return;
    const asked = clearings;
    const shown = consent.shownText(given);
    const body: ConsentRequest = {
      consent: given,
      ...(shown !== null && {
        text: {
          sha256: await sha256(shown.text),
          ...(shown.language !== undefined && { language: shown.language }),
        },
      }),
    };
    const response = await post("/v1/consents", body);
    const receipt = response.ok ? parseJson(await response.text()) : null;
    if (asked !== clearings) return;
    if (isReceipt(receipt) && nameOf(receipt) === name) {
      lost.delete(name);
      const others = read(RECEIPTS_KEY).filter((one) => nameOf(one) !== name);
      write(RECEIPTS_KEY, [...others, receipt]);
      // The visitor may have withdrawn meanwhile.
      follow();
      options.onReceipt?.();
      return;
    }
    if (isRetryableStatus(response.status) || response.status === 401) {
      throw new WaggleError("NETWORK", `the edge answered HTTP ${response.status}`, {
        retryable: true,
        retryAfterMs: retryAfterMs(response, clock()) ?? undefined,
      });
    }
    refused.add(name);
  };

  const retry = (after: number | null): void => {
    const ceiling = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures++, 30));
    sendLater(after ?? ceiling * (0.5 + random() / 2));
  };

  const sendLater = (delayMs: number): void => {
    cancelTimer?.();
    const run = (): void => {
      cancelTimer = null;
      void sendWithdrawals();
    };
    cancelTimer = isClosed ? null : schedule(run, delayMs);
  };

  /** Sends those of one id. The answer to several would have one time for all of them. */
  const sendWithdrawals = async (): Promise<void> => {
    if (isSending || isClosed) return;
    const { visitorId } = read(WITHDRAWALS_KEY).at(-1) ?? {};
    if (visitorId === undefined) return;
    isSending = true;
    cancelTimer?.();
    cancelTimer = null;
    const isOwn = (receipt: ConsentReceipt): boolean => receipt.visitorId === visitorId;
    const receipts = read(WITHDRAWALS_KEY).filter(isOwn);
    const sent = new Set(receipts.map(({ signature }) => signature));
    try {
      const response = await post("/v1/consents/withdrawals", { receipts });
      const all = read(WITHDRAWALS_KEY);
      if (!response.ok) {
        // Those of other ids come first now, so that an answer about these does not keep them from being sent.
        write(WITHDRAWALS_KEY, [...all.filter(isOwn), ...all.filter((one) => !isOwn(one))]);
        return retry(retryAfterMs(response, clock()));
      }
      failures = 0;
      const left = all.filter(({ signature }) => !sent.has(signature));
      write(WITHDRAWALS_KEY, left);
      storage.removeItem(NEXT_KEY);
      if (left.length > 0) {
        const pauseMs = random() * LONGEST_PAUSE_MS;
        storage.setItem(NEXT_KEY, String(clock() + pauseMs));
        sendLater(pauseMs);
      }
    } catch (error) {
      // The edge may know the site by another key, which the page of a later visit has.
      return WaggleError.is(error, "SITE_UNKNOWN") ? undefined : retry(null);
    } finally {
      isSending = false;
    }
    options.onReceipt?.();
  };

  const follow = (): void => {
    const withdrawn = consent.decision() === "declined" ? read(RECEIPTS_KEY) : [];
    if (withdrawn.length > 0) {
      // The present id is last, and goes first.
      write(WITHDRAWALS_KEY, [...read(WITHDRAWALS_KEY), ...withdrawn]);
      storage.removeItem(RECEIPTS_KEY);
      void sendWithdrawals();
      return;
    }
    // A change in another tab does not end a pause.
    if (cancelTimer !== null) return;
    const left = Number(storage.getItem(NEXT_KEY)) - clock();
    // A longer pause means that the clock was set back.
    if (left > 0 && left <= LONGEST_PAUSE_MS) sendLater(left);
    else void sendWithdrawals();
  };
  const unsubscribe = consent.onChange(follow);
  follow();

  return {
    list: () => read(RECEIPTS_KEY),
    async request(consents) {
      for (const one of consents) await requestOne(one);
    },
    renew() {
      if (isRenewed) return false;
      isRenewed = true;
      refused.clear();
      for (const receipt of read(RECEIPTS_KEY)) lost.add(nameOf(receipt));
      return true;
    },
    clear() {
      clearings++;
      storage.removeItem(RECEIPTS_KEY);
    },
    close() {
      isClosed = true;
      cancelTimer?.();
      unsubscribe();
    },
  };
}

/** Who agreed to what. */
const nameOf = (receipt: ConsentReceipt): string =>
  `${receipt.visitorId} ${canonicalJson(receipt.consent)}`;

/** Enough for this page. The edge checks the signature, and with it all members. */
function isReceipt(value: unknown): value is ConsentReceipt {
  return (
    isObject(value) &&
    typeof value["visitorId"] === "string" &&
    typeof value["signature"] === "string" &&
    typeof value["recordedAt"] === "string" &&
    readPageData("Consent", value["consent"]) !== null
  );
}
