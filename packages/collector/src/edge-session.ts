/**
 * The page's session with the edge: a short-lived token that renews itself, and the requests that need it.
 * Stores the last manifest, so that a page can start offline, and the visitor token while there is consent.
 */
import { ACCEPT_SILENCE, boundary, WaggleError } from "@waggle/protocol";
import type {
  AssignmentResponse,
  Channel,
  DeletionResponse,
  PolicyManifest,
  SessionResponse,
  WaggleErrorCode,
} from "@waggle/protocol";
import { parseJson } from "./consent-store.ts";
import type { ConsentStore } from "./consent-store.ts";
import { createMemoryStorage } from "./key-value-storage.ts";
import type { KeyValueStorage } from "./key-value-storage.ts";
import { readPageData, requirePageData } from "./page-data.ts";
import { retryAfterMs } from "./retry-after.ts";
import { withinTimeLimit } from "./time-limit.ts";
import type { Schedule } from "./time-limit.ts";
import { createVisitorIdentity } from "./visitor-identity.ts";

/** The part of `fetch` that this package uses. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Requests to the edge on behalf of one visitor. */
export interface EdgeSession {
  readonly edgeUrl: string;
  /** `null` until the edge has answered once. */
  readonly visitorId: string | null;
  readonly channel: Channel | null;
  /** A token that is valid for at least 30 s. Concurrent calls share one request. */
  token(): Promise<string>;
  /** Requests a new token regardless of the present one's age, for use after a 401. */
  refresh(): Promise<string>;
  /**
   * `fetch` of a path at the edge with the token. After a 401 it renews the token once and retries.
   * @param limitMs - time limit for everything. Default: `timeoutMs` of the options.
   * @returns the response with any status and its whole body.
   * @throws WaggleError `NETWORK`, retryable, also after the time limit.
   */
  request(path: string, init?: RequestInit, limitMs?: number): Promise<Response>;
  /**
   * Requests a task, which the edge chooses.
   * @param version - asks for a perturbation of this version, where the site collects rewards only.
   * @throws WaggleError `RATE_LIMITED`, retryable with a delay, if there is no task now.
   */
  assignment(signal?: AbortSignal, version?: number): Promise<AssignmentResponse>;
  /** The next sampling seed that the edge gave for a request; `null` if none is left. Works offline. */
  takeSeed(): number | null;
  /** The manifest of this visitor's channel. Transfers only headers if it has not changed. */
  policyManifest(signal?: AbortSignal): Promise<PolicyManifest>;
  /** The manifest of the last visit; `null` on the first visit. */
  storedManifest(): PolicyManifest | null;
  /** Leaves the visitor's id: the next session has another one. */
  rotate(): void;
  /** Sessions of the ids that this browser has left, newest first. */
  earlier(): readonly EdgeSession[];
  /** Records that all data of this visitor must be deleted, including ids withdrawn during this visit. */
  requestDeletion(): void;
  /** Deletes all recorded visitors at the edge, including those of earlier visits. Unconfirmed ones stay recorded. */
  finishDeletion(): Promise<DeletionResponse>;
  /** Removes tokens and manifest from this device. Answers still under way are not stored. */
  clear(): void;
}

/** Where the edge is, what to store and how to reach the network. */
export type EdgeSessionOptions = {
  /** Origin of the Worker, with or without a trailing slash. */
  readonly edgeUrl: string;
  readonly siteKey: string;
  readonly storage: KeyValueStorage;
  /** Determines whether the visitor has a lasting id. */
  readonly consent: Pick<ConsentStore, "get" | "onChange">;
  /** Whether to ask for the manifest's signature. Default false. */
  readonly signed?: boolean;
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly clock?: () => number;
  /** Default `waggle`. */
  readonly keyPrefix?: string;
  /** Time limit of a request. Default 20 s. */
  readonly timeoutMs?: number;
  /** Default `setTimeout`. */
  readonly schedule?: Schedule;
};

const RENEW_BEFORE_MS = 30_000;

/** Creates a session without opening it. @throws WaggleError `INVALID_ARGUMENT` for an edge URL that is not http(s). */
export function createEdgeSession(options: EdgeSessionOptions): EdgeSession {
  const { siteKey, storage, clock = Date.now, keyPrefix = "waggle" } = options;
  const { timeoutMs = 20_000, schedule } = options;
  const fetchOnce: Fetch = options.fetch ?? ((url, init) => fetch(url, init));
  const send: Fetch = (url, init) =>
    boundary("network", async () => {
      const response = await fetchOnce(url, init);
      // Read here, so that the time limit covers the body too.
      const body = await response.arrayBuffer();
      const { status, statusText, headers } = response;
      return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
    });
  const edgeUrl = options.edgeUrl.replace(/\/+$/, "");
  if (!/^https?:\/\//.test(edgeUrl)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `edgeUrl must start with http:// or https://, got ${JSON.stringify(edgeUrl.slice(0, 100))}`,
    );
  }
  const identity = createVisitorIdentity({ storage, consent: options.consent, keyPrefix });
  const manifestKey = `${keyPrefix}.manifest`;
  let session: SessionResponse | null = null;
  let isRemembered = identity.isRemembered;
  /** The last session of a withdrawn lasting id; it can still be used for deletion. */
  let withdrawn: SessionResponse | null = null;
  let opening: Promise<SessionResponse> | null = null;
  /** Seeds of the session's visitor, and those taken in this page. */
  let seeds: readonly number[] = [];
  const taken = new Set<number>();
  let manifest = storedManifest();
  let manifestTag: string | null = null;
  /** Increases with `clear` and with consent changes. Answers to an earlier generation are not stored. */
  let generation = 0;

  function storedManifest(): PolicyManifest | null {
    return readPageData("PolicyManifest", parseJson(storage.getItem(manifestKey)));
  }

  const ask = (
    visitorToken: string | null,
    remember: boolean,
    signal: AbortSignal,
  ): Promise<Response> =>
    send(`${edgeUrl}/v1/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        siteKey,
        // Absent means true. Edges of the first release do not know the member.
        ...(remember ? {} : { remember }),
        ...(visitorToken === null ? {} : { visitorToken }),
      }),
      signal,
    });

  const open = async (signal: AbortSignal): Promise<SessionResponse> => {
    const asked = generation;
    const remember = isRemembered;
    const visitorToken = identity.token();
    let response = await ask(visitorToken, remember, signal);
    // The token of another deployment or of a deleted visitor is replaced by a new visitor.
    if (
      visitorToken !== null &&
      asked === generation &&
      (response.status === 401 || response.status === 403)
    ) {
      response = await ask(null, remember, signal);
    }
    const opened = requirePageData("SessionResponse", await jsonOf(response, clock()));
    if (asked === generation) {
      // Another tab was faster. A browser has one lasting id, and nothing was sent under this one.
      const isRenewed = identity.isRemembered && identity.token() !== visitorToken;
      if (remember && isRenewed && !identity.isLasting(opened.visitorId)) return open(signal);
      identity.keep(opened.visitorToken, opened.visitorId, remember);
      session = opened;
      seeds = opened.requestSeeds ?? [];
    }
    return opened;
  };

  /** Sessions of earlier ids, by their tokens. */
  const former = new Map<string, EdgeSession>();
  const sessionOf = (visitorToken: string): EdgeSession => {
    const own = createMemoryStorage();
    own.setItem(`${keyPrefix}.visitorToken`, visitorToken);
    const opened = former.get(visitorToken) ?? createEdgeSession({ ...options, storage: own });
    former.set(visitorToken, opened);
    return opened;
  };

  /** Drops the session. Answers still under way are not stored. */
  const drop = (): void => {
    generation++;
    opening = null;
    session = null;
    seeds = [];
  };

  /** Drops the session's id if consent was given or withdrawn since, or the id was left, here or in another tab. */
  const followConsent = (): void => {
    const isLeft = isRemembered && session !== null && !identity.isLasting(session.visitorId);
    if (identity.isRemembered === isRemembered && !isLeft) return;
    if (isRemembered) withdrawn = session ?? withdrawn;
    isRemembered = identity.isRemembered;
    drop();
    identity.change();
  };
  options.consent.onChange(followConsent);

  const refresh = async (): Promise<string> => {
    if (opening === null) {
      const mine = withinTimeLimit({ limitMs: timeoutMs, schedule }, open).finally(() => {
        if (opening === mine) opening = null;
      });
      opening = mine;
    }
    return (await opening).token;
  };

  const isFresh = (opened: SessionResponse): boolean =>
    Date.parse(opened.expiresAt) - clock() > RENEW_BEFORE_MS;

  const token = async (): Promise<string> => {
    followConsent();
    return session !== null && isFresh(session) ? session.token : refresh();
  };

  /** Deletes the visitor of a lasting token, with its known session or a new one. */
  const deleteBy = (visitorToken: string): Promise<DeletionResponse> =>
    withinTimeLimit({ limitMs: timeoutMs, schedule }, async (signal) => {
      const remove = (bearer: string): Promise<Response> =>
        send(`${edgeUrl}/v1/visitor`, {
          method: "DELETE",
          headers: { authorization: `Bearer ${bearer}` },
          signal,
        });
      const known = [session, withdrawn].find((opened) => opened?.visitorToken === visitorToken);
      let response = known && isFresh(known) ? await remove(known.token) : null;
      if (response === null || response.status === 401) {
        const opened = await jsonOf(await ask(visitorToken, true, signal), clock());
        response = await remove(requirePageData("SessionResponse", opened).token);
      }
      return requirePageData("DeletionResponse", await jsonOf(response, clock()));
    });

  const finishDeletion = async (): Promise<DeletionResponse> => {
    let deletedTrajectories = 0;
    let deletedFeedback = 0;
    let deletedOutcomes = 0;
    const learnedBy = new Set<number>();
    for (const visitorToken of identity.pendingDeletions()) {
      const deleted = await deleteBy(visitorToken);
      identity.confirmDeletion(visitorToken);
      deletedTrajectories += deleted.deletedTrajectories;
      deletedFeedback += deleted.deletedFeedback;
      deletedOutcomes += deleted.deletedOutcomes ?? 0;
      for (const version of deleted.learnedBy) learnedBy.add(version);
    }
    return {
      deletedTrajectories,
      deletedFeedback,
      deletedOutcomes,
      learnedBy: [...learnedBy].toSorted((a, b) => a - b),
    };
  };

  const request: EdgeSession["request"] = (path, init = {}, limitMs = timeoutMs) =>
    withinTimeLimit({ limitMs, schedule, signal: init.signal }, async (signal) => {
      const authorized = (bearer: string): Promise<Response> => {
        const headers = new Headers(init.headers);
        headers.set("authorization", `Bearer ${bearer}`);
        return send(`${edgeUrl}${path}`, { ...init, headers, signal });
      };
      const asked = generation;
      const response = await authorized(await token());
      if (response.status !== 401 || asked !== generation) return response;
      return authorized(await refresh());
    });

  return {
    edgeUrl,
    get visitorId() {
      return session?.visitorId ?? null;
    },
    get channel() {
      return session?.channel ?? null;
    },
    token,
    refresh,
    request,
    storedManifest,

    takeSeed() {
      followConsent();
      const seed = seeds.find((one) => !taken.has(one));
      if (seed === undefined) return null;
      taken.add(seed);
      return seed;
    },

    async assignment(signal, version) {
      const init: RequestInit = { method: "POST", ...(signal === undefined ? {} : { signal }) };
      const query = version === undefined ? "" : `?version=${version}`;
      const response = await request(`/v1/assignments${query}`, init);
      if (response.status === 204) {
        throw new WaggleError("RATE_LIMITED", "the edge has no task now; ask again later", {
          retryable: true,
          retryAfterMs: retryAfterMs(response, clock()) ?? undefined,
        });
      }
      return requirePageData("AssignmentResponse", await jsonOf(response, clock()));
    },

    async policyManifest(signal) {
      const asked = generation;
      const known = manifest !== null && manifestTag !== null ? manifestTag : null;
      const response = await request(
        options.signed === true ? "/v1/policy?signed=1" : "/v1/policy",
        {
          ...(signal === undefined ? {} : { signal }),
          headers: {
            accept: ACCEPT_SILENCE,
            ...(known === null ? {} : { "if-none-match": known }),
          },
        },
      );
      if (response.status === 304 && manifest !== null) return manifest;
      const answered = requirePageData("PolicyManifest", await jsonOf(response, clock()));
      if (asked !== generation) return answered;
      manifest = answered;
      manifestTag = response.headers.get("etag");
      storage.setItem(manifestKey, JSON.stringify(manifest));
      return manifest;
    },

    requestDeletion: () => identity.requestDeletion(),
    finishDeletion,

    rotate() {
      drop();
      identity.rotate();
    },
    earlier: () => identity.earlier().map(sessionOf),

    clear() {
      drop();
      withdrawn = null;
      manifest = null;
      manifestTag = null;
      identity.clear();
      storage.removeItem(manifestKey);
    },
  };
}

/** The body of a 2xx response. Otherwise throws the edge's error, retryable for 408, 425, 429 and 5xx. */
async function jsonOf(response: Response, now: number): Promise<unknown> {
  const body = await boundary("network", async () => parseJson(await response.text()));
  if (response.ok) return body;
  const failure = failureOf(response.status, body);
  throw new WaggleError(failure.code as WaggleErrorCode, failure.message, {
    retryable: isRetryableStatus(response.status),
    retryAfterMs: retryAfterMs(response, now) ?? undefined,
  });
}

/** The edge's error code and message, or ones derived from the status. */
export function failureOf(status: number, body: unknown): { code: string; message: string } {
  const parsed = readPageData("ErrorBody", body);
  if (parsed !== null) return parsed.error;
  const code = status >= 500 ? "NETWORK" : status === 404 ? "NOT_FOUND" : "SCHEMA_INVALID";
  return { code, message: `the edge answered HTTP ${status} without an error body` };
}

/** True if the same request may succeed later. */
export function isRetryableStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}
