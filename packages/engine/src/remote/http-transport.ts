/**
 * HTTP calls to one server: JSON out, bytes back, retries with growing pauses, compression,
 * timeouts. It knows no Tinker: which call may be repeated is said by the caller, because a repeated
 * `forward_backward` adds its gradient twice.
 */
import { setTimeout as pause } from "node:timers/promises";
import { WaggleError } from "@waggle/protocol";
import { encodeBody } from "./body-encoding.ts";
import type { BodyEncoding } from "./body-encoding.ts";
import { refusal } from "./server-error.ts";

export type HttpCall = {
  readonly method: "GET" | "POST" | "DELETE";
  /** With the leading `/`, below the base URL. */
  readonly path: string;
  readonly json?: unknown;
  /** Whether the server may see the call twice. */
  readonly isRepeatable: boolean;
  readonly encoding?: BodyEncoding;
  /** Bytes from which on the body is compressed; default: where it pays. */
  readonly smallestEncoded?: number;
  readonly timeoutMs?: number;
  /** Statuses other than 2xx that are an answer to the caller. */
  readonly accepts?: readonly number[];
};

export type HttpAnswer = { readonly status: number; readonly bytes: Uint8Array };

export type HttpTransportOptions = {
  /** Origin, with a path where the server lies below one. */
  readonly baseUrl: string;
  /** Sent as `X-API-Key`, as the Tinker SDK does. */
  readonly apiKey?: string | undefined;
  /** Times that one call is tried, default 6: about eight seconds of pauses. */
  readonly attempts?: number | undefined;
  /** Before the second attempt; doubles each time. Default 250. */
  readonly retryDelayMs?: number | undefined;
  /** Longest wait for one answer, default 60 000. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

const LONGEST_DELAY_MS = 30_000;

/** Nothing was sent: the server cannot have acted. */
const UNSENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);
/** The server, or what stands before it, says that it did not act. */
const NOT_ACTED = new Set([429, 503]);
/** It may have acted or not. 425: a checkpoint that is still being written. */
const UNKNOWN = new Set([425, 500, 502, 504]);

type Failure = {
  readonly error: WaggleError;
  /** True where the server cannot have acted on the call. */
  readonly isUnseen: boolean;
  readonly retryAfterMs: number;
};

export class HttpTransport {
  /** For messages: without what could be a secret. */
  readonly origin: string;
  readonly #options: HttpTransportOptions;
  readonly #base: string;

  /** @throws WaggleError `INVALID_ARGUMENT` on a URL that is not http(s) or holds a password. */
  constructor(options: HttpTransportOptions) {
    const url = URL.canParse(options.baseUrl) ? new URL(options.baseUrl) : null;
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        "the URL of a server must be http(s)://host[:port][/path] without a user or a query, got another; pass a key as apiKey",
      );
    }
    this.#options = options;
    this.origin = url.origin;
    this.#base = `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  }

  /**
   * The answer to a call, tried again where that is safe.
   * @throws WaggleError `NETWORK` where no answer came, not retryable where it is unknown whether the
   *   server acted; a refusal by its status.
   */
  async send(call: HttpCall): Promise<HttpAnswer> {
    const { attempts = 6, retryDelayMs = 250, signal } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#once(call);
      if (!("error" in outcome)) return outcome;
      const { error, isUnseen, retryAfterMs } = outcome;
      const mayRepeat = error.retryable && (isUnseen || call.isRepeatable);
      if (!mayRepeat || attempt >= attempts) throw isUnseen ? error : unknown(error, call);
      // A quarter of chance, so that trainers do not come back at once.
      const delay = retryDelayMs * 2 ** (attempt - 1) * (0.875 + Math.random() / 4);
      await pause(Math.min(LONGEST_DELAY_MS, Math.max(delay, retryAfterMs)), undefined, { signal });
    }
  }

  /** `send` for answers in JSON; null where the body is empty. */
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
      const response = await fetch(`${this.#base}${path}`, {
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
          `${this.origin} must answer ${method} ${path}, got ${code}; is the server running there?`,
          { retryable: true, cause: error },
        ),
        isUnseen: UNSENT.has(code),
        retryAfterMs: 0,
      };
    }
  }
}

function retryable(error: WaggleError): WaggleError {
  return new WaggleError(error.code, error.message, { retryable: true, cause: error });
}

/** After this nobody knows whether the server acted: the same call must not be made again. */
function unknown(error: WaggleError, call: HttpCall): WaggleError {
  if (call.isRepeatable) return error;
  return new WaggleError(
    error.code,
    `${error.message}; whether the server acted is not known, so it was not asked again`,
    { cause: error },
  );
}

function causeCode(error: unknown): string {
  if (!(error instanceof Error)) return "no connection";
  if (error.name === "TimeoutError") return "no answer in time";
  const code = (error.cause as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : error.message.slice(0, 200);
}

function retryAfter(header: string | null): number {
  if (header === null) return 0;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

/** A proxy's page of HTML is no JSON, and no reason to fail on top of its status. */
function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    return null;
  }
}
