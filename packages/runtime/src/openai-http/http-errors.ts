/** What an HTTP status of a model's server means, and when to ask again. */
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

/** Refusals of a chat: the same request would be refused again. */
const REFUSED: readonly WaggleErrorCode[] = [
  "INVALID_ARGUMENT",
  "CAPABILITY_MISSING",
  "CONTEXT_OVERFLOW",
  "GRAMMAR_UNSUPPORTED",
];

/** Longest wait between two attempts, milliseconds. */
const MAX_WAIT = 30_000;

/** The status a chat's error is sent with, which a client of ours reads as that error again. */
export function statusOf(error: unknown): number {
  if (!WaggleError.is(error)) return 500;
  if (error.code === "RATE_LIMITED") return 429;
  if (REFUSED.includes(error.code)) return 400;
  return error.retryable ? 503 : 500;
}

/** The error of an answer that is not 2xx. Reads its body. */
export async function errorOf(response: Response): Promise<WaggleError> {
  const { status } = response;
  const body = await response.text().catch(() => "");
  const { code, message } = describe(body);
  const isRetryable = status === 408 || status === 409 || status === 429 || status >= 500;
  // A server of ours sends a code that says more than the status.
  const known = REFUSED.find((each) => each === code);
  return new WaggleError(
    known ?? CODES[status] ?? "NETWORK",
    `the server must answer with 2xx, got ${status}: ${message.slice(0, 300) || "no message"}`,
    { retryable: isRetryable },
  );
}

/**
 * Milliseconds until the next attempt: what the server asks for, else twice as long each time.
 *
 * @param attempt - 0 for the first repetition.
 */
export function waitBefore(attempt: number, retryAfter: string | null, now: number): number {
  if (retryAfter !== null) {
    const seconds = Number(retryAfter);
    const wait = Number.isFinite(seconds) ? 1000 * seconds : Date.parse(retryAfter) - now;
    if (Number.isFinite(wait)) return Math.min(MAX_WAIT, Math.max(0, wait));
  }
  return Math.min(MAX_WAIT, 500 * 2 ** attempt);
}

/** OpenAI's `{error: {code, message}}`, or whatever a proxy says. */
function describe(body: string): { code: unknown; message: string } {
  try {
    const { error } = JSON.parse(body) as { error?: { code?: unknown; message?: unknown } };
    if (typeof error?.message === "string") return { code: error.code, message: error.message };
  } catch {
    // A proxy's page.
  }
  return { code: null, message: body };
}
