/**
 * Receipts of this visitor's consents, signed by the edge. The uploader asks for one before it sends anything under a consent.
 * After a withdrawal, the receipts go back to the edge, which then records it; without an answer, the next visit tries again.
 */
import { canonicalJson, isObject, sha256, WaggleError } from "@waggle/protocol";
import type { Consent, ConsentReceipt, ConsentRequest } from "@waggle/protocol";
import { parseJson, WITHDRAWALS_KEY } from "./consent-store.ts";
import type { ConsentStore } from "./consent-store.ts";
import { isRetryableStatus } from "./edge-session.ts";
import type { EdgeSession } from "./edge-session.ts";
import type { KeyValueStorage } from "./key-value-storage.ts";
import { readPageData } from "./page-data.ts";
import { retryAfterMs } from "./retry-after.ts";

const RECEIPTS_KEY = "waggle.receipts";
/** Receipts that are kept; the oldest are dropped. */
const MOST = 100;

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
  /** Stops watching for withdrawals. */
  close(): void;
}

/** What the receipts belong to, and where they are kept. */
export type ConsentReceiptsOptions = {
  readonly session: Pick<EdgeSession, "request" | "token" | "visitorId">;
  readonly consent: Pick<ConsentStore, "decision" | "onChange" | "shownText">;
  readonly storage: KeyValueStorage;
  /** Called after each new receipt. */
  readonly onReceipt?: () => void;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly clock?: () => number;
};

/** Opens the receipts, and sends withdrawals that are due. */
export function createConsentReceipts(options: ConsentReceiptsOptions): ConsentReceipts {
  const { session, consent, storage, clock = Date.now } = options;
  /** Consents for which the edge gave no receipt, until the page is closed. */
  const refused = new Set<string>();
  /** Consents whose receipts the edge may have lost. */
  const lost = new Set<string>();
  let isRenewed = false;
  let clearings = 0;

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

  const sendWithdrawals = async (): Promise<void> => {
    const receipts = read(WITHDRAWALS_KEY);
    if (receipts.length === 0) return;
    const response = await post("/v1/consents/withdrawals", { receipts });
    if (isRetryableStatus(response.status) || response.status === 401) return;
    const sent = new Set(receipts.map(({ signature }) => signature));
    write(
      WITHDRAWALS_KEY,
      read(WITHDRAWALS_KEY).filter(({ signature }) => !sent.has(signature)),
    );
  };

  const follow = (): void => {
    if (consent.decision() === "declined") {
      const kept = read(RECEIPTS_KEY);
      // One time of withdrawal for several ids would show that they belong together. Nothing is sent under earlier ones.
      const own = kept.filter(({ visitorId }) => visitorId === kept.at(-1)?.visitorId);
      write(WITHDRAWALS_KEY, [...read(WITHDRAWALS_KEY), ...own]);
      storage.removeItem(RECEIPTS_KEY);
    }
    sendWithdrawals().catch(() => undefined); // the next visit tries again
  };
  const close = consent.onChange(follow);
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
    close,
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
