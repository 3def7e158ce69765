/**
 * HTTP calls to one server: sends JSON, returns bytes, retries with increasing pauses, compresses,
 * times out. The caller says which calls may be repeated: repeating a `forward_backward` would add
 * its gradient twice.
 */
import { setTimeout as pause } from "node:timers/promises";
import { WaggleError } from "@waggle/protocol";
import { encodeBody } from "./body-encoding.ts";
import type { BodyEncoding } from "./body-encoding.ts";
import { refusal } from "./server-error.ts";

/** One call of the server. */
export type HttpCall = {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path below the base URL, with a leading `/`. */
  readonly path: string;
  readonly json?: unknown;
  /** Whether the server may receive the call twice. */
  readonly isRepeatable: boolean;
  readonly encoding?: BodyEncoding;
  /** Minimum bytes for compressing the body. Default: where it pays off. */
  readonly smallestEncoded?: number;
  readonly timeoutMs?: number;
  /** Statuses besides 2xx that count as a response, not an error. */
  readonly accepts?: readonly number[];
};

/** Status and body of a response. */
export type HttpAnswer = { readonly status: number; readonly bytes: Uint8Array };

/** Options of `HttpTransport`. */
export type HttpTransportOptions = {
  /** Origin, with the path below which the server is mounted, if any. */
  readonly baseUrl: string;
  /** Sent as `X-API-Key`, as the Tinker SDK does. */
  readonly apiKey?: string | undefined;
  /** Maximum number of tries of a call. Default 6, which means about eight seconds of pauses. */
  readonly attempts?: number | undefined;
  /** Pause before the second try; doubles each time. Default 250. */
  readonly retryDelayMs?: number | undefined;
  /** Longest wait for one response, default 60 000. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

const LONGEST_DELAY_MS = 30_000;

/** Nothing was sent, so the server cannot have acted. */
const UNSENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);
/** The server, or a proxy in front of it, says that it did not act. */
const NOT_ACTED = new Set([429, 503]);
/** The server may or may not have acted. 425: a checkpoint is still being written. */
const UNKNOWN = new Set([425, 500, 502, 504]);

type Failure = {
  readonly error: WaggleError;
  /** True if the server cannot have acted on the call. */
  readonly isUnseen: boolean;
  readonly retryAfterMs: number;
};

export class HttpTransport {
  /** For messages; contains no secret. */
  readonly origin: string;
  readonly #options: HttpTransportOptions;
  readonly #base: string;

  /** @throws WaggleError `INVALID_ARGUMENT` on a URL that is not http(s) or has a password. */
  constructor(options: HttpTransportOptions) {
    const url = URL.canParse(options.baseUrl) ? new URL(options.baseUrl) : null;
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        "a server's URL must have the form http(s)://host[:port][/path], without user or query; pass a key as apiKey",
      );
    }
    this.#options = options;
    this.origin = url.origin;
    this.#base = `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  }

  /**
   * Returns the response to a call. Retries where that is safe.
   * @throws WaggleError `NETWORK` if no response came, not retryable if the server may have acted; on an
   *   error status, the code for it.
   */
  async send(call: HttpCall): Promise<HttpAnswer> {
    const { attempts = 6, retryDelayMs = 250, signal } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#once(call);
      if (!("error" in outcome)) return outcome;
      const { error, isUnseen, retryAfterMs } = outcome;
      const mayRepeat = error.retryable && (isUnseen || call.isRepeatable);
      if (!mayRepeat || attempt >= attempts) throw isUnseen ? error : unknown(error, call);
      // Random by a quarter, so that trainers do not retry at the same time.
      const delay = retryDelayMs * 2 ** (attempt - 1) * (0.875 + Math.random() / 4);
      await pause(Math.min(LONGEST_DELAY_MS, Math.max(delay, retryAfterMs)), undefined, { signal });
    }
  }

  /** `send` for JSON responses; null if the body is empty. */
  async sendJson(call: HttpCall): Promise<{ readonly status: number; readonly json: unknown }> {
    const { status, bytes } = await this.send(call);
    return { status, json: parseJson(bytes) };
  }

  async #once(call: HttpCall): Promise<HttpAnswer | Failure> {
    const { method, path, json, accepts = [] } = call;
    const { apiKey, signal } = this.#options;
    const timeout = AbortSignal.timeout(call.timeoutMs ?? this.#options.timeoutMs ?? 60_000);
    const body =
      json === undefined
        ? null
        : await encodeBody(json, call.encoding ?? "identity", call.smallestEncoded);
    try {
      const response = await this.#followed(`${this.#base}${path}`, {
        method,
        headers: {
          ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
          ...(body === null ? {} : { "content-type": "application/json" }),
          ...(body?.encoding ? { "content-encoding": body.encoding } : {}),
        },
        body: body?.bytes ?? null,
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      const { status } = response;
      if (response.ok || accepts.includes(status)) return { status, bytes };
      const refused = refusal(`${method} ${path}`, status, parseJson(bytes));
      const isPassing = NOT_ACTED.has(status) || UNKNOWN.has(status);
      return {
        error: isPassing && !refused.retryable ? retryable(refused) : refused,
        isUnseen: !UNKNOWN.has(status),
        retryAfterMs: retryAfter(response.headers.get("retry-after")),
      };
    } catch (error) {
      if (signal?.aborted === true) throw error;
      const code = causeCode(error);
      return {
        error: new WaggleError(
          "NETWORK",
          `no response from ${this.origin} to ${method} ${path}: ${code}; is the server running there?`,
          { retryable: true, cause: error },
        ),
        isUnseen: UNSENT.has(code),
        retryAfterMs: 0,
      };
    }
  }

  /** Follows a GET's redirect, to another origin without the key: it may be a signed URL of a store. */
  async #followed(url: string, init: RequestInit): Promise<Response> {
    if (init.method !== "GET") return fetch(url, init);
    const response = await fetch(url, { ...init, redirect: "manual" });
    const location = response.headers.get("location");
    if (location === null || response.status < 300 || response.status >= 400) return response;
    const target = new URL(location, url);
    return fetch(target, target.origin === this.origin ? init : { ...init, headers: {} });
  }
}

function retryable(error: WaggleError): WaggleError {
  return new WaggleError(error.code, error.message, { retryable: true, cause: error });
}

/** The server may or may not have acted, so the same call must not be made again. */
function unknown(error: WaggleError, call: HttpCall): WaggleError {
  if (call.isRepeatable) return error;
  return new WaggleError(
    error.code,
    `${error.message}; it is unknown whether the server acted, so the call was not repeated`,
    { cause: error },
  );
}

function causeCode(error: unknown): string {
  if (!(error instanceof Error)) return "no connection";
  if (error.name === "TimeoutError") return "timed out";
  const code = (error.cause as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : error.message.slice(0, 200);
}

function retryAfter(header: string | null): number {
  if (header === null) return 0;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

/** A proxy may send an HTML page with an error status; that is no further error. */
function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    return null;
  }
}
