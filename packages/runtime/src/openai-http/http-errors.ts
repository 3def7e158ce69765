/** Maps HTTP statuses of a model server to errors, and decides when to retry. */
import { WaggleError } from "@waggle/protocol";
import type { WaggleErrorCode } from "@waggle/protocol";

const CODES: { readonly [status: number]: WaggleErrorCode } = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  408: "TIMEOUT",
  413: "PAYLOAD_TOO_LARGE",
  422: "INVALID_ARGUMENT",
  429: "RATE_LIMITED",
};

/** Errors that repeating the same request cannot fix. */
const REFUSED: readonly WaggleErrorCode[] = [
  "INVALID_ARGUMENT",
  "CAPABILITY_MISSING",
  "CONTEXT_OVERFLOW",
  "GRAMMAR_UNSUPPORTED",
];

/** OpenAI's code for `CONTEXT_OVERFLOW`, which many clients look for. */
export const OVERFLOW = "context_length_exceeded";

/** Longest wait between two tries, in milliseconds. */
const MAX_WAIT = 30_000;

/** The status for a chat's error, which our client maps back to that error. */
export function statusOf(error: unknown): number {
  if (!WaggleError.is(error)) return 500;
  if (REFUSED.includes(error.code)) return 400;
  const known = Object.keys(CODES).find((status) => CODES[Number(status)] === error.code);
  if (known !== undefined) return Number(known);
  return error.retryable ? 503 : 500;
}

/** The error for a response that is not 2xx. Reads its body. */
export async function errorOf(response: Response): Promise<WaggleError> {
  const { status } = response;
  const body = await response.text().catch(() => "");
  const { code, message } = describe(body);
  const isRetryable = status === 408 || status === 409 || status === 429 || status >= 500;
  // A Waggle server sends a code that is more specific than the status, and OpenAI's servers send one for overflows.
  const known = code === OVERFLOW ? "CONTEXT_OVERFLOW" : REFUSED.find((each) => each === code);
  return new WaggleError(
    known ?? CODES[status] ?? "NETWORK",
    `the server answered with status ${status}: ${message.slice(0, 300) || "no message"}`,
    { retryable: isRetryable, retryAfterMs: retryAfterOf(response.headers, Date.now()) },
  );
}

/** Milliseconds that a server asks to wait, in the header of OpenAI's clients or in `retry-after`. */
function retryAfterOf(headers: Headers, now: number): number | undefined {
  const ms = headers.get("retry-after-ms");
  const given = headers.get("retry-after");
  const seconds = Number(given ?? Number.NaN);
  const date = Date.parse(given ?? "") - now;
  return [Number(ms ?? Number.NaN), 1000 * seconds, date].find(Number.isFinite);
}

/**
 * Milliseconds until the next try: what the server asks for, otherwise doubling each time.
 *
 * @param attempt - 0 for the first retry.
 */
export function waitBefore(
  attempt: number,
  { retryAfterMs = 500 * 2 ** attempt }: WaggleError,
): number {
  return Math.min(MAX_WAIT, Math.max(0, retryAfterMs));
}

/** OpenAI's `{error: {code, message}}`, or a proxy's text. */
function describe(body: string): { code: unknown; message: string } {
  try {
    const { error } = JSON.parse(body) as { error?: { code?: unknown; message?: unknown } };
    if (typeof error?.message === "string") return { code: error.code, message: error.message };
  } catch {
    // A proxy's page.
  }
  return { code: null, message: body };
}

/** An abort keeps its reason; the rest may work again later. */
export function networkError(cause: unknown, signal: AbortSignal): WaggleError {
  if (signal.aborted) throw signal.reason;
  if (WaggleError.is(cause)) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new WaggleError("NETWORK", `request to the server failed: ${reason.slice(0, 300)}`, {
    retryable: true,
    cause,
  });
}

/** Rejects with the signal's reason when it is aborted. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
