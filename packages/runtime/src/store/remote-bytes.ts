/**
 * One HTTP request for the bytes of a file from an offset on, with a limit on silence. Retries and
 * storage are in `file-download.ts`.
 */
import { WaggleError } from "@waggle/protocol";
import type { FailedRequest } from "./backoff.ts";

export type Fetch = (
  url: string,
  init: {
    readonly method?: string;
    readonly headers?: Record<string, string>;
    readonly signal?: AbortSignal | null;
  },
) => Promise<Response>;

/** The bytes to request. */
export type RemoteRequest = {
  readonly url: string;
  readonly fetch: Fetch;
  readonly method?: "GET" | "HEAD";
  /** First byte. Default 0. */
  readonly offset?: number;
  /** One past the last byte. Default: to the end. */
  readonly end?: number;
  /** Validator of the first `offset` bytes: a changed file is sent from the start. */
  readonly validator?: string | null;
  /** Longest time without a byte, in milliseconds. */
  readonly stallMs: number;
  readonly signal?: AbortSignal | undefined;
};

/** The response, before its body. */
export type RemoteAnswer =
  | {
      readonly kind: "body";
      /** Start of the body: the requested offset, or 0 if the server starts again. */
      readonly offset: number;
      /** Size of the whole file. `null` if the server does not say. */
      readonly totalBytes: number | null;
      /** Whether the total is reliable; otherwise it may be the size of a compressed body. */
      readonly isExactTotal: boolean;
      /** Strong ETag, or else the date of the last change. */
      readonly validator: string | null;
      /** Stated by Hugging Face's servers for large files. */
      readonly sha256: string | null;
      readonly pieces: () => AsyncGenerator<Uint8Array, void, undefined>;
      readonly cancel: () => Promise<void>;
    }
  /** The file ends at or before the offset; with its size, if the server says. */
  | { readonly kind: "past-end"; readonly totalBytes: number | null }
  | ({ readonly kind: "refused" } & FailedRequest);

/** Origins that have responded to this thread, so that failures there may be temporary. */
const reached = new Set<string>();

/**
 * Sends the request and reads the headers.
 * @throws the signal's reason. Failures of the network or the server are returned as an answer, or
 *   thrown by `pieces` as WaggleError `NETWORK` (retryable).
 */
export async function requestBytes(request: RemoteRequest): Promise<RemoteAnswer> {
  const { url, offset = 0, end, validator, signal } = request;
  const silence = new SilenceLimit(request.stallMs, signal);
  const headers: Record<string, string> = {};
  if (offset > 0 || end !== undefined) {
    headers["Range"] = `bytes=${offset}-${end === undefined ? "" : end - 1}`;
    // Cross-origin it would need a preflight, which Hugging Face's file servers refuse; there the
    // validators are compared afterwards.
    if (validator != null && isSameOrigin(url)) headers["If-Range"] = validator;
  }
  let response: Response;
  try {
    const init = { headers, signal: silence.signal, method: request.method ?? "GET" };
    response = await silence.guard(request.fetch(url, init));
  } catch (cause) {
    silence.end();
    signal?.throwIfAborted();
    const isUnreached = !reached.has(originOf(url));
    return { kind: "refused", error: networkError(url, cause), retryAfterMs: 0, isUnreached };
  }
  reached.add(originOf(url));
  const cancel = async (): Promise<void> => {
    silence.end();
    await response.body?.cancel().catch(() => undefined);
  };
  if (response.status === 416) {
    await cancel();
    return { kind: "past-end", totalBytes: contentRange(response)?.total ?? null };
  }
  // Single-page apps answer requests for missing files with their page.
  const isPage = response.headers.get("content-type")?.startsWith("text/html") === true;
  if (!response.ok || isPage) {
    await cancel();
    return refusal(url, isPage && response.ok ? 404 : response.status, response.headers);
  }
  const range = response.status === 206 ? contentRange(response) : null;
  const begin = response.status === 206 ? (range?.begin ?? offset) : 0;
  const length = size(response.headers.get("content-length"));
  const isEncoded = response.headers.has("content-encoding");
  const known = range?.total ?? (length === null || isEncoded ? null : begin + length);
  return {
    kind: "body",
    offset: begin,
    totalBytes: known,
    isExactTotal: range?.total != null,
    validator: validatorOf(response.headers),
    sha256: hashOrNull(response.headers.get("x-linked-etag")?.replaceAll('"', "")),
    cancel,
    async *pieces() {
      const reader = response.body?.getReader();
      try {
        for (;;) {
          const { done, value } = await silence.guard(
            reader?.read() ?? Promise.resolve({ done: true as const, value: undefined }),
          );
          if (done) return;
          yield value;
        }
      } catch (cause) {
        signal?.throwIfAborted();
        throw networkError(url, cause);
      } finally {
        silence.end();
        await reader?.cancel().catch(() => undefined);
      }
    },
  };
}

/** Ends a request that has been silent for too long, or whose caller aborted. */
class SilenceLimit {
  readonly #limitMs: number;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#controller.abort(this.#outer?.reason);

  constructor(limitMs: number, outer: AbortSignal | undefined) {
    this.#limitMs = limitMs;
    this.#outer = outer;
    if (outer?.aborted === true) this.#onAbort();
    else outer?.addEventListener("abort", this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves like `work`, or rejects after too long a silence, even if `work` ignores the signal. */
  async guard<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let giveUp: (() => void) | undefined;
    const given = new Promise<never>((_, reject) => {
      giveUp = () => reject(signal.reason as Error);
      if (signal.aborted) giveUp();
      else signal.addEventListener("abort", giveUp, { once: true });
      timer = setTimeout(
        () => this.#controller.abort(new Error(`no data for ${this.#limitMs} ms`)),
        this.#limitMs,
      );
    });
    try {
      return await Promise.race([work, given]);
    } finally {
      clearTimeout(timer);
      if (giveUp !== undefined) signal.removeEventListener("abort", giveUp);
      work.catch(() => undefined); // the loser of the race
    }
  }

  end(): void {
    this.#outer?.removeEventListener("abort", this.#onAbort);
  }
}

function refusal(url: string, status: number, headers: Headers): RemoteAnswer {
  const retryable = status >= 500 || status === 429 || status === 408;
  const code = status === 404 ? "NOT_FOUND" : isForbidden(status) ? "FORBIDDEN" : "NETWORK";
  const advice = isForbidden(status)
    ? "use a public model without a license to accept, or a folder"
    : "check the address";
  const seconds = Number(headers.get("retry-after") ?? 0);
  return {
    kind: "refused",
    error: new WaggleError(code, `${shown(url)} answered with status ${status}; ${advice}`, {
      retryable,
    }),
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : 0,
  };
}

function isForbidden(status: number): boolean {
  return status === 401 || status === 403;
}

function networkError(url: string, cause: unknown): WaggleError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new WaggleError(
    "NETWORK",
    `cannot read ${shown(url)}: ${reason.slice(0, 200)}; try again, downloaded bytes are kept`,
    { retryable: true, cause },
  );
}

/** Without its query, which may be a signature. */
function shown(url: string): string {
  return (url.split("?")[0] ?? url).slice(0, 300);
}

function isSameOrigin(url: string): boolean {
  const { location } = globalThis as { location?: Location };
  return location === undefined || originOf(url) === location.origin;
}

function originOf(url: string): string {
  return new URL(url, (globalThis as { location?: Location }).location?.href).origin;
}

function contentRange(response: Response): { begin: number | null; total: number | null } | null {
  const value = response.headers.get("content-range");
  const match = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(value ?? "");
  return match === null ? null : { begin: size(match[1]), total: size(match[2]) };
}

function size(text: string | null | undefined): number | null {
  return text != null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function validatorOf(headers: Headers): string | null {
  const etag = headers.get("etag");
  return etag?.startsWith('"') ? etag : headers.get("last-modified");
}

/** The value if it is a hex sha256. */
export function hashOrNull(value: unknown): string | null {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value) ? value : null;
}
