/**
 * HTTP to the edge. Answers are checked against their schema, transient failures are retried with
 * backoff, and refusals become errors with the edge's own codes. It is stateless and knows no routes.
 */
import { ErrorBody, WaggleError, type WaggleErrorCode } from "@waggle/protocol";
import type { z } from "zod";
import { abortableSleep } from "./abortable-sleep.ts";
import type { Publisher } from "./signing-client.ts";

export type EdgeTransportOptions = {
  /** Origin of the Worker, such as `http://127.0.0.1:8787`. */
  readonly baseUrl: string;
  readonly credential: string;
  /** Signs what is published. Default: nothing is signed. */
  readonly publisher?: Publisher;
  readonly fetch?: typeof fetch;
  /** Headers of every call. */
  readonly headers?: { readonly [name: string]: string };
  /** Once aborted, calls are tried only once, so that a stop does not wait. */
  readonly signal?: AbortSignal;
  /** Resolves after that many milliseconds, or as soon as the signal is aborted. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Attempts per call, default 6 (about 12 s of backoff). */
  readonly attempts?: number;
  /** Timeout of one attempt, default 30 000. */
  readonly timeoutMs?: number;
  readonly random?: () => number;
};

type EdgeCall = {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  readonly path: string;
  readonly json?: unknown;
  readonly bytes?: Uint8Array;
  /** Bytes that the edge moves before it answers, if they are not those of the body. */
  readonly movedBytes?: number;
};

/** Typed calls with retries. */
export type EdgeTransport = {
  /** The parsed answer. */
  readonly answer: <T>(call: EdgeCall, schema: z.ZodType<T>) => Promise<T>;
  /** For calls without a result. */
  readonly done: (call: EdgeCall) => Promise<void>;
  /** With a custom reader of the answer, which is called again on a retry. */
  readonly send: <T>(call: EdgeCall, read: (response: Response) => Promise<T>) => Promise<T>;
};

const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 8000;
/** Uploads are given time for at least 1 MB/s. */
const SLOWEST_BYTES_PER_MS = 1000;

/** Creates a transport for one edge and one credential. */
export function createEdgeTransport(options: EdgeTransportOptions): EdgeTransport {
  const {
    baseUrl,
    credential,
    fetch: fetchFn = fetch,
    signal = new AbortController().signal,
    sleep = abortableSleep,
    attempts = 6,
    timeoutMs = 30_000,
    random = Math.random,
  } = options;
  const origin = baseUrl.replace(/\/+$/, "");

  async function once(call: EdgeCall): Promise<Response> {
    let response: Response;
    try {
      response = await fetchFn(`${origin}${call.path}`, {
        method: call.method,
        headers: {
          ...options.headers,
          authorization: `Bearer ${credential}`,
          ...(call.json === undefined ? {} : { "content-type": "application/json" }),
          ...(call.bytes === undefined ? {} : { "content-type": "application/octet-stream" }),
        },
        body:
          call.json !== undefined
            ? JSON.stringify(call.json)
            : ((call.bytes as Uint8Array<ArrayBuffer> | undefined) ?? null),
        signal: AbortSignal.timeout(
          timeoutMs +
            Math.ceil((call.bytes?.length ?? call.movedBytes ?? 0) / SLOWEST_BYTES_PER_MS),
        ),
      });
    } catch (error) {
      throw new WaggleError(
        "NETWORK",
        `no answer to ${call.method} ${call.path} from the edge: ${describe(error)}; is it running at ${origin}?`,
        { retryable: true, cause: error },
      );
    }
    if (response.ok) return response;
    throw await refusal(call, response);
  }

  async function send<T>(call: EdgeCall, read: (response: Response) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await read(await once(call));
      } catch (error) {
        const isFinal = attempt >= attempts || signal.aborted;
        if (!WaggleError.is(error) || !error.retryable || isFinal) throw error;
        const backoff = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1));
        await sleep(backoff * (0.5 + 0.5 * random()), signal);
      }
    }
  }

  const answer = <T>(call: EdgeCall, schema: z.ZodType<T>): Promise<T> =>
    send(call, async (response) => parsed(call, schema, await body(call, response)));
  const done = (call: EdgeCall): Promise<void> =>
    send(call, async (response) => void (await body(call, response)));

  return { answer, done, send };
}

/**
 * Reads JSON. A connection that breaks within the body is as retryable as one that never opened.
 */
async function body(call: EdgeCall, response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    throw new WaggleError(
      "NETWORK",
      `the edge's answer to ${call.method} ${call.path} is not JSON: ${describe(error)}; repeat the call`,
      { retryable: true, cause: error },
    );
  }
}

function parsed<T>(call: EdgeCall, schema: z.ZodType<T>, json: unknown): T {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new WaggleError(
    "SCHEMA_INVALID",
    `the answer to ${call.method} ${call.path} does not match its schema at "${issue?.path.join(".") ?? ""}" (${issue?.message ?? ""}); run trainer and edge of the same release`,
  );
}

/**
 * The edge's refusal as an error: with its own code if it sent one; retryable for a 5xx, 408 or 429.
 */
async function refusal(call: EdgeCall, response: Response): Promise<WaggleError> {
  const retryable = response.status >= 500 || response.status === 429 || response.status === 408;
  const json: unknown = await response.json().catch(() => null);
  const said = ErrorBody.safeParse(json);
  const code = said.success
    ? (said.data.error.code as WaggleErrorCode)
    : retryable
      ? "NETWORK"
      : // The answer to HEAD has no body.
        response.status === 404
        ? "NOT_FOUND"
        : "INTERNAL";
  const reason = said.success ? said.data.error.message.slice(0, 300) : "no reason given";
  return new WaggleError(
    code,
    `the edge refused ${call.method} ${call.path} with ${response.status}: ${reason}`,
    { retryable },
  );
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, 200);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return `${error.name}: ${error.message}${cause}`.slice(0, 300);
}
