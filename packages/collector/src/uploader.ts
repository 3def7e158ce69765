/**
 * Sends the outbox's entries while there is consent and a network. Nothing else in the page uploads.
 *
 * An answer settles an entry: accepted, duplicate or rejected. Without an answer (network error, 401, 5xx, 429) the
 * entry is released and sending pauses for an exponential backoff with jitter, or as `Retry-After` says.
 */
import { consentScopes, UPLOAD_LIMITS, WaggleError } from "@waggle/protocol";
import type { ConsentReceipts } from "./consent-receipts.ts";
import type { ConsentStore } from "./consent-store.ts";
import { failureOf, isRetryableStatus } from "./edge-session.ts";
import type { EdgeSession } from "./edge-session.ts";
import { parseJson } from "./consent-store.ts";
import { logRefusal, pathOf } from "./feedback-or-outcome.ts";
import type { FeedbackOrOutcome } from "./feedback-or-outcome.ts";
import type { Claimed, Outbox, Settlement } from "./outbox-contract.ts";
import { readPageData } from "./page-data.ts";
import { gzipBody, plainBody } from "./request-body.ts";
import { retryAfterMs } from "./retry-after.ts";
import { scheduleTimeout } from "./time-limit.ts";
import type { Schedule } from "./time-limit.ts";
import { byConsent, settlementsOf } from "./upload-settlements.ts";

/** What a run sent, and why it ended. */
export type FlushReport = {
  readonly sent: number;
  readonly rejected: number;
  /** Including outcomes. */
  readonly feedbackSent: number;
  /** `empty`: nothing was left. Otherwise what prevented sending. */
  readonly ended: "empty" | "no-consent" | "offline" | "backoff" | "stopped";
};

/** The uploader's state, for display. */
export type UploaderStatus = {
  readonly sending: boolean;
  /** Sent by this uploader since it was created. */
  readonly sent: number;
  readonly rejected: number;
  /** Milliseconds since 1970; `null` if no retry is scheduled. */
  readonly retryAt: number | null;
  /** Error code of the last failure; `null` after a success. */
  readonly lastFailure: string | null;
};

/** Sends on request or on its own. */
export interface Uploader {
  /** Sends until nothing is left or sending is not possible. Concurrent calls share one run. */
  flush(): Promise<FlushReport>;
  /** Starts sending automatically: after changes, when back online, and when the page is left. */
  start(): void;
  /** Stops sending. Resolves when no request is running. */
  stop(): Promise<void>;
  readonly status: UploaderStatus;
  /** Calls the listener after each change of status. @returns a function that unsubscribes. */
  onChange(listener: () => void): () => void;
}

/** The outbox to send, the session to send it with, and timing. */
export type UploaderOptions = {
  readonly outbox: Outbox;
  readonly session: EdgeSession;
  readonly consent: ConsentStore;
  /** Proves a consent to the edge before anything is sent under it. Default: nothing is proven. */
  readonly receipts?: Pick<ConsentReceipts, "request" | "renew">;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly clock?: () => number;
  /** In [0, 1). Default `Math.random`. */
  readonly random?: () => number;
  /** Default: `setTimeout`. */
  readonly schedule?: Schedule;
  /** Default: `navigator.onLine`, or true if there is none. */
  readonly isOnline?: () => boolean;
  /** Targets of `online`, `pagehide` and `visibilitychange` events. Default `window` and `document`. */
  readonly events?: readonly EventTarget[];
  /** First backoff. Default 1 s. */
  readonly baseDelayMs?: number;
  /** Longest backoff. Default 5 min. */
  readonly maxDelayMs?: number;
  /** Delay after a change before sending, so that a batch can form. Default 250 ms. */
  readonly gatherMs?: number;
  /** Gets texts for the page's developer. Default: they are dropped. */
  readonly log?: (message: string) => void;
  /** Maximum number of trajectories per request, up to the edge's limit of 64. Default 64. */
  readonly batchSize?: number;
};

/** Lease of the entries that one run sends. */
const LEASE_MS = 60_000;
/** Browsers allow 64 KiB of keepalive bodies at a time. The rest is left for headers and feedback. */
const KEEPALIVE_BYTES = 48 * 1024;
/** Leaves room for digests and JSON around the trajectories. */
const BATCH_BYTES = UPLOAD_LIMITS.bodyBytes - 64 * 1024;

type Answer = "answered" | "retry";

/** Creates an uploader that does nothing until `flush` or `start`. */
export function createUploader(options: UploaderOptions): Uploader {
  const { outbox, session, consent, receipts, clock = Date.now, random = Math.random } = options;
  const { baseDelayMs = 1000, maxDelayMs = 300_000, gatherMs = 250, batchSize = 64 } = options;
  const schedule = options.schedule ?? scheduleTimeout;
  const log = options.log ?? (() => undefined);
  const isOnline = options.isOnline ?? (() => globalThis.navigator?.onLine !== false);
  const events = options.events ?? defaultEvents();

  let running: Promise<FlushReport> | null = null;
  let started = false;
  let stopping = false;
  let changedMeanwhile = false;
  let failures = 0;
  let cancelTimer: (() => void) | null = null;
  let status: UploaderStatus = {
    sending: false,
    sent: 0,
    rejected: 0,
    retryAt: null,
    lastFailure: null,
  };
  const listeners = new Set<() => void>();
  const update = (change: Partial<UploaderStatus>): void => {
    status = { ...status, ...change };
    for (const listener of listeners) listener();
  };

  const scheduleFlush = (delayMs: number): void => {
    cancelTimer?.();
    cancelTimer = schedule(() => {
      cancelTimer = null;
      void flush();
    }, delayMs);
  };

  const backOff = (code: string, retryAfterMs: number | null): Answer => {
    const ceiling = Math.min(maxDelayMs, baseDelayMs * 2 ** Math.min(failures, 30));
    const delayMs = retryAfterMs ?? ceiling * (0.5 + random() / 2);
    failures++;
    update({ lastFailure: code, retryAt: clock() + delayMs });
    if (started) scheduleFlush(delayMs);
    return "retry";
  };

  const answered = async (settlements: readonly Settlement[]): Promise<Answer> => {
    failures = 0;
    await outbox.settle(settlements);
    const rejected = settlements.filter((settlement) => settlement.state === "rejected").length;
    update({
      sent: status.sent + settlements.length - rejected,
      rejected: status.rejected + rejected,
      lastFailure: null,
      retryAt: null,
    });
    return "answered";
  };

  /** Sends a request; `null` if the network failed. */
  const post = async (path: string, init: RequestInit): Promise<Response | null> => {
    try {
      // A large batch takes longer than the session's usual time limit on a slow connection.
      return await session.request(path, { method: "POST", ...init }, LEASE_MS);
    } catch {
      return null;
    }
  };

  const sendBatch = async (batch: readonly Claimed[], keepalive: boolean): Promise<Answer> => {
    const digests = batch.map((entry) => entry.digest);
    const trajectories = batch.map(({ digest, trajectory }) => ({ digest, trajectory }));
    const body = JSON.stringify({ trajectories });
    // A page that is being left has no time to compress.
    const init = keepalive ? plainBody(body) : await gzipBody(body);
    // Compressing and splitting take time, so consent may have been withdrawn or narrowed.
    // The run then looks at each of them again.
    if (byConsent(batch, consent).outdated.length > 0) {
      await outbox.release(digests);
      return "answered";
    }
    const response = await post("/v1/trajectories", { ...init, keepalive });
    if (response === null || isUnanswered(response)) {
      await outbox.release(digests);
      const code = response === null ? "NETWORK" : `HTTP_${response.status}`;
      return backOff(code, retryAfterMs(response, clock()));
    }
    const parsed = parseJson(await response.text().catch(() => null));
    // If all are refused, the edge answers with the status of the first and the results of all; if a consent is not proven, with
    // that status.
    const uploaded = readPageData("UploadResponse", parsed);
    if (response.ok && uploaded === null) {
      await outbox.release(digests);
      return backOff("SCHEMA_INVALID", null);
    }
    if (uploaded !== null) {
      const all = settlementsOf(digests, uploaded);
      // An edge that was restored from a backup may have lost receipts. The entries wait for new ones.
      const isLost = all.some(isUnproven) && receipts?.renew() === true;
      const settlements = isLost ? all.filter((one) => !isUnproven(one)) : all;
      const known = new Set(settlements.map((settlement) => settlement.key));
      const unanswered = digests.filter((digest) => !known.has(digest));
      await outbox.release(unanswered);
      const answer = await answered(settlements);
      const failure = isLost ? "CONSENT_UNPROVEN" : "SCHEMA_INVALID";
      return unanswered.length > 0 ? backOff(failure, null) : answer;
    }
    if (batch.length > 1) {
      // Split, so that one bad or large trajectory does not affect the others.
      const middle = batch.length >> 1;
      const first = await sendBatch(batch.slice(0, middle), keepalive);
      if (first === "answered") return sendBatch(batch.slice(middle), keepalive);
      await outbox.release(digests.slice(middle));
      return first;
    }
    const reason = failureOf(response.status, parsed);
    return answered(digests.map((key) => ({ key, state: "rejected", reason })));
  };

  const sendFeedback = async (one: FeedbackOrOutcome, keepalive: boolean): Promise<Answer> => {
    const response = await post(pathOf(one), { ...plainBody(JSON.stringify(one)), keepalive });
    if (response?.status === UNPROVEN && receipts?.renew() === true) {
      await outbox.release([], [one.id]);
      return backOff("CONSENT_UNPROVEN", null);
    }
    if (response === null || isUnanswered(response)) {
      await outbox.release([], [one.id]);
      const code = response === null ? "NETWORK" : `HTTP_${response.status}`;
      return backOff(code, retryAfterMs(response, clock()));
    }
    await logRefusal(response, log);
    await outbox.settleFeedback([one.id]);
    return "answered";
  };

  const run = async (keepalive: boolean): Promise<FlushReport> => {
    const before = status;
    let feedbackSent = 0;
    const report = (ended: FlushReport["ended"]): FlushReport => ({
      sent: status.sent - before.sent,
      rejected: status.rejected - before.rejected,
      feedbackSent,
      ended,
    });
    // After a batch comes as much feedback. A page that keeps adding trajectories would otherwise never send any.
    let feedbackDue = 0;
    for (;;) {
      if (stopping) return report("stopped");
      const inForce = consent.get();
      if (inForce === null) return report("no-consent");
      if (!isOnline()) return report("offline");
      const claimed =
        feedbackDue > 0
          ? []
          : await outbox.claim({
              limit: Math.min(batchSize, UPLOAD_LIMITS.trajectories),
              maxBytes: keepalive ? KEEPALIVE_BYTES : BATCH_BYTES,
              leaseMs: LEASE_MS,
            });
      const { current, outdated } = byConsent(claimed, consent);
      await outbox.settle(outdated);
      try {
        await receipts?.request([inForce, ...current.map(({ trajectory }) => trajectory.consent)]);
      } catch (error) {
        const { code, retryAfterMs = null } = WaggleError.is(error) ? error : { code: "INTERNAL" };
        await outbox.release(current.map((entry) => entry.digest));
        backOff(code, retryAfterMs);
        return report("backoff");
      }
      if (current.length > 0) {
        if (
          keepalive &&
          current.reduce((sum, entry) => sum + entry.sizeBytes, 0) > KEEPALIVE_BYTES
        ) {
          await outbox.release(current.map((entry) => entry.digest));
          return report("stopped");
        }
        if ((await sendBatch(current, keepalive)) === "retry") return report("backoff");
        if (keepalive) return report("stopped");
        feedbackDue = current.length;
        continue;
      }
      if (outdated.length > 0) continue;
      const [feedback] = await outbox.claimFeedback({ limit: 1, leaseMs: LEASE_MS });
      if (feedback === undefined) {
        if (feedbackDue === 0) return report("empty");
        feedbackDue = 0;
        continue;
      }
      const agreed = consent.get();
      if (agreed === null || !consentScopes(agreed).includes("feedback")) {
        await outbox.settleFeedback([feedback.id]);
        continue;
      }
      if ((await sendFeedback(feedback, keepalive)) === "retry") return report("backoff");
      feedbackSent++;
      feedbackDue = Math.max(0, feedbackDue - 1);
    }
  };

  const flush = (keepalive = false): Promise<FlushReport> => {
    if (running !== null) return running;
    changedMeanwhile = false;
    update({ sending: true });
    running = run(keepalive)
      .catch((error: unknown): FlushReport => {
        // A failed run must not prevent the next one.
        backOff(WaggleError.is(error) ? error.code : "INTERNAL", null);
        return { sent: 0, rejected: 0, feedbackSent: 0, ended: "backoff" };
      })
      .finally(() => {
        running = null;
        update({ sending: false });
      });
    if (started) void running.then(watchClaims);
    return running;
  };

  /** Schedules another run for entries that another tab has claimed, in case that tab dies. */
  const watchClaims = async (report: FlushReport): Promise<void> => {
    if (report.ended !== "empty" || !started || cancelTimer !== null) return;
    // Something was added after this run looked for entries.
    if (changedMeanwhile) return scheduleFlush(gatherMs);
    const { waiting, feedbackWaiting } = await outbox.summary();
    if (waiting + feedbackWaiting > 0) scheduleFlush(LEASE_MS);
  };

  const onEvent = (event: Event): void => {
    const leaving =
      event.type === "pagehide" ||
      (event.type === "visibilitychange" && globalThis.document?.visibilityState === "hidden");
    if (leaving) void flush(true);
    else if (event.type === "online") {
      failures = 0;
      scheduleFlush(0);
    }
  };
  let leaveOutbox: (() => void) | null = null;
  let leaveConsent: (() => void) | null = null;

  return {
    flush: () => flush(),
    start() {
      if (started) return;
      started = true;
      stopping = false;
      for (const target of events) {
        for (const type of ["online", "pagehide", "visibilitychange"]) {
          target.addEventListener(type, onEvent);
        }
      }
      // Changes that a retry itself makes must not bring the next retry forward.
      const soon = (): void => {
        if (running !== null) changedMeanwhile = true;
        else if (cancelTimer === null) scheduleFlush(gatherMs);
      };
      leaveOutbox = outbox.onChange(soon);
      leaveConsent = consent.onChange(soon);
      scheduleFlush(0);
    },
    async stop() {
      started = false;
      stopping = true;
      cancelTimer?.();
      cancelTimer = null;
      leaveOutbox?.();
      leaveConsent?.();
      for (const target of events) {
        for (const type of ["online", "pagehide", "visibilitychange"]) {
          target.removeEventListener(type, onEvent);
        }
      }
      await running;
      stopping = false;
    },
    get status() {
      return status;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The status of an answer that refuses something because its consent is not proven. Pages of the previous release repeat it. */
const UNPROVEN = 425;

/** Whether the edge took or refused nothing. */
function isUnanswered({ status }: Response): boolean {
  return status === 401 || (isRetryableStatus(status) && status !== UNPROVEN);
}

function isUnproven(settlement: Settlement): boolean {
  return settlement.state === "rejected" && settlement.reason.code === "CONSENT_UNPROVEN";
}

function defaultEvents(): EventTarget[] {
  const targets: EventTarget[] = [];
  if (typeof window !== "undefined") targets.push(window);
  if (typeof document !== "undefined") targets.push(document);
  return targets;
}
