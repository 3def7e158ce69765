/** Maps a chat's errors to those of the draft. */
import { WaggleError } from "@waggle/protocol";
import type { WaggleErrorCode } from "@waggle/protocol";

const NAMES: { readonly [code in WaggleErrorCode]?: string } = {
  CAPABILITY_MISSING: "NotSupportedError",
  GRAMMAR_UNSUPPORTED: "NotSupportedError",
  DEVICE_UNAVAILABLE: "NotSupportedError",
  MODEL_UNSUPPORTED: "NotSupportedError",
  MODEL_TOO_LARGE: "NotSupportedError",
  FORBIDDEN: "NotAllowedError",
  NETWORK: "NetworkError",
  TIMEOUT: "NetworkError",
  DISPOSED: "InvalidStateError",
};

/**
 * A failure as a DOMException. DOMExceptions stay as they are.
 *
 * @param otherwise - name of a failure that the draft does not name.
 */
export function toDomException(error: unknown, otherwise = "UnknownError"): DOMException {
  if (error instanceof DOMException) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (!WaggleError.is(error)) return new DOMException(message, otherwise);
  if (error.code === "CONTEXT_OVERFLOW") return quotaExceeded(null, null, message);
  return new DOMException(message, NAMES[error.code] ?? otherwise);
}

type QuotaExceeded = new (
  message: string,
  options: { readonly requested?: number; readonly quota?: number },
) => DOMException;

/**
 * `QuotaExceededError` with tokens, `null` if they are not known; uses the platform's class if it has one.
 */
export function quotaExceeded(
  requested: number | null,
  quota: number | null,
  message = "the messages exceed the context window",
): DOMException {
  const { QuotaExceededError } = globalThis as { QuotaExceededError?: QuotaExceeded };
  if (QuotaExceededError !== undefined) {
    const known = requested === null || quota === null ? {} : { requested, quota };
    return new QuotaExceededError(message, known);
  }
  return Object.assign(new DOMException(message, "QuotaExceededError"), { requested, quota });
}
