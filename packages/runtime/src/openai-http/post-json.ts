/** JSON to a server and back, with patience: what may pass is asked again, later each time. */
import { WaggleError } from "@waggle/protocol";
import { errorOf, networkError, wait, waitBefore } from "./http-errors.ts";

export type PostOptions = {
  /** Sent as a bearer token. */
  readonly apiKey?: string | undefined;
  /** Attempts after the first where the server is busy or out of reach. Default 4, over 8 seconds. */
  readonly retries?: number | undefined;
  /** Longest wait for one answer, milliseconds. Default 10 minutes. */
  readonly timeoutMs?: number | undefined;
  /** Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Waits so many milliseconds. Default: a timer. */
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
};

const TIMEOUT_MS = 600_000;

/**
 * @returns the answer's JSON, or its text where it is none.
 * @throws WaggleError `NETWORK` or `TIMEOUT`, retryable, where the server stays out of reach; the code of its
 *   status otherwise. An abort rejects with the signal's reason.
 */
export async function postJson(
  url: string,
  body: object,
  { signal, ...options }: PostOptions & { readonly signal: AbortSignal },
): Promise<unknown> {
  const {
    apiKey,
    retries = 4,
    timeoutMs = TIMEOUT_MS,
    fetch = globalThis.fetch,
    sleep = wait,
  } = options;
  const headers = {
    "content-type": "application/json",
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  for (let attempt = 0; ; attempt += 1) {
    const timeout = AbortSignal.timeout(timeoutMs);
    let error: WaggleError;
    try {
      const response = await fetch(url, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, timeout]),
      });
      if (response.ok) return parsed(await response.text());
      error = await errorOf(response);
    } catch (cause) {
      signal.throwIfAborted();
      error = timeout.aborted
        ? new WaggleError("TIMEOUT", `the server did not answer within ${timeoutMs / 1000} s`, {
            retryable: true,
            cause,
          })
        : networkError(cause, signal);
    }
    signal.throwIfAborted();
    if (!error.retryable || attempt >= retries) throw error;
    await sleep(waitBefore(attempt, error), signal);
    signal.throwIfAborted();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
