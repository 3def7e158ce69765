/**
 * This page's line to the edge: a short-lived token that renews itself, and the calls that need one.
 * The visitor token is the only thing it stores besides the last manifest (so that a page starts offline).
 */
import {
  AssignmentResponse,
  boundary,
  DeletionResponse,
  ErrorBody,
  PolicyManifest,
  SessionResponse,
  WaggleError,
} from "@waggle/protocol";
import type { Channel, WaggleErrorCode } from "@waggle/protocol";
import { parseJson } from "./consent-store.ts";
import type { KeyValueStorage } from "./key-value-storage.ts";

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

export interface EdgeSession {
  readonly edgeUrl: string;
  /** `null` until the first answer of the edge. */
  readonly visitorId: string | null;
  readonly channel: Channel | null;
  /** A token that is valid for at least another 30 s. Concurrent calls share one request. */
  token(): Promise<string>;
  /** A new token whatever the age of the present one: after a 401. */
  refresh(): Promise<string>;
  /**
   * `fetch` of a path under the edge with the token; a 401 renews the token once.
   * @returns the response, whatever its status. @throws WaggleError `NETWORK`, retryable.
   */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Asks for a task; the edge decides which. */
  assignment(signal?: AbortSignal): Promise<AssignmentResponse>;
  /** The manifest of this visitor's channel; costs a few bytes when nothing changed. */
  policyManifest(signal?: AbortSignal): Promise<PolicyManifest>;
  /** The manifest of the last visit, `null` on a first one. */
  storedManifest(): PolicyManifest | null;
  /** Removes everything of this visitor at the edge. */
  deleteVisitor(): Promise<DeletionResponse>;
  /** Forgets token, visitor token and manifest on this device. */
  clear(): void;
}

export type EdgeSessionOptions = {
  /** Origin of the Worker, with or without a trailing slash. */
  readonly edgeUrl: string;
  readonly siteKey: string;
  readonly storage: KeyValueStorage;
  /** Default the global one. */
  readonly fetch?: Fetch;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly clock?: () => number;
  /** Default `waggle`. */
  readonly keyPrefix?: string;
};

const RENEW_BEFORE_MS = 30_000;

/** @throws WaggleError `INVALID_ARGUMENT` for an edge URL that is not http(s). */
export function createEdgeSession(options: EdgeSessionOptions): EdgeSession {
  const { siteKey, storage, clock = Date.now, keyPrefix = "waggle" } = options;
  const send: Fetch = options.fetch ?? ((url, init) => fetch(url, init));
  const edgeUrl = options.edgeUrl.replace(/\/+$/, "");
  if (!/^https?:\/\//.test(edgeUrl)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `edgeUrl must start with http:// or https://, got ${JSON.stringify(edgeUrl.slice(0, 100))}; give the Worker's origin`,
    );
  }
  const visitorKey = `${keyPrefix}.visitorToken`;
  const manifestKey = `${keyPrefix}.manifest`;
  let session: SessionResponse | null = null;
  let opening: Promise<SessionResponse> | null = null;
  let manifest = storedManifest();
  let manifestTag: string | null = null;

  function storedManifest(): PolicyManifest | null {
    const parsed = PolicyManifest.safeParse(parseJson(storage.getItem(manifestKey)));
    return parsed.success ? parsed.data : null;
  }

  const open = async (): Promise<SessionResponse> => {
    const visitorToken = storage.getItem(visitorKey) ?? undefined;
    const ask = (token: string | undefined): Promise<Response> =>
      boundary("network", () =>
        send(`${edgeUrl}/v1/sessions`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            siteKey,
            ...(token === undefined ? {} : { visitorToken: token }),
          }),
        }),
      );
    let response = await ask(visitorToken);
    // A visitor token of another deployment, or of a deleted visitor, makes a new visitor.
    if (visitorToken !== undefined && (response.status === 401 || response.status === 403)) {
      response = await ask(undefined);
    }
    const opened = SessionResponse.parse(await jsonOf(response));
    storage.setItem(visitorKey, opened.visitorToken);
    return opened;
  };

  const refresh = async (): Promise<string> => {
    opening ??= open().finally(() => {
      opening = null;
    });
    session = await opening;
    return session.token;
  };

  const token = async (): Promise<string> =>
    session !== null && Date.parse(session.expiresAt) - clock() > RENEW_BEFORE_MS
      ? session.token
      : refresh();

  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const authorized = (bearer: string): Promise<Response> => {
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${bearer}`);
      return boundary("network", () => send(`${edgeUrl}${path}`, { ...init, headers }));
    };
    const response = await authorized(await token());
    return response.status === 401 ? authorized(await refresh()) : response;
  };

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

    async assignment(signal) {
      const init: RequestInit = { method: "POST", ...(signal === undefined ? {} : { signal }) };
      return AssignmentResponse.parse(await jsonOf(await request("/v1/assignments", init)));
    },

    async policyManifest(signal) {
      const known = manifest !== null && manifestTag !== null ? manifestTag : null;
      const response = await request("/v1/policy", {
        ...(signal === undefined ? {} : { signal }),
        ...(known === null ? {} : { headers: { "if-none-match": known } }),
      });
      if (response.status === 304 && manifest !== null) return manifest;
      manifest = PolicyManifest.parse(await jsonOf(response));
      manifestTag = response.headers.get("etag");
      storage.setItem(manifestKey, JSON.stringify(manifest));
      return manifest;
    },

    async deleteVisitor() {
      const response = await request("/v1/visitor", { method: "DELETE" });
      return DeletionResponse.parse(await jsonOf(response));
    },

    clear() {
      session = null;
      manifest = null;
      manifestTag = null;
      storage.removeItem(visitorKey);
      storage.removeItem(manifestKey);
    },
  };
}

/** The body of a 2xx; otherwise a WaggleError with the edge's code, retryable for 408, 429 and 5xx. */
async function jsonOf(response: Response): Promise<unknown> {
  const body = await boundary("network", async () => parseJson(await response.text()));
  if (response.ok) return body;
  const failure = failureOf(response.status, body);
  throw new WaggleError(failure.code as WaggleErrorCode, failure.message, {
    retryable: isRetryableStatus(response.status),
  });
}

/** The edge's own code and sentence, or ones made from the status. */
export function failureOf(status: number, body: unknown): { code: string; message: string } {
  const parsed = ErrorBody.safeParse(body);
  if (parsed.success) return parsed.data.error;
  const code = status >= 500 ? "NETWORK" : status === 404 ? "NOT_FOUND" : "SCHEMA_INVALID";
  return { code, message: `the edge must answer with 2xx or an error body, got HTTP ${status}` };
}

/** True where the same request may succeed later. */
export function isRetryableStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}
