/** Maps a chat's errors to those of the draft. */
import { WaggleError } from "@waggle/protocol";
import type { WaggleErrorCode } from "@waggle/protocol";

const NAMES: { readonly [code in WaggleErrorCode]?: string } = {
  CAPABILITY_MISSING: "NotSupportedError",
  GRAMMAR_UNSUPPORTED: "NotSupportedError",
  DEVICE_UNAVAILABLE: "NotSupportedError",
  MODEL_UNSUPPORTED: "NotSupportedError",
  NETWORK: "NetworkError",
  TIMEOUT: "NetworkError",
  DISPOSED: "InvalidStateError",
};

/** A chat's error as a DOMException; aborts and other errors unchanged. */
export function toDomException(error: unknown): unknown {
  if (!WaggleError.is(error)) return error;
  return new DOMException(error.message, NAMES[error.code] ?? "UnknownError");
}

type QuotaExceeded = new (
  message: string,
  options: { readonly requested: number; readonly quota: number },
) => DOMException;

/** `QuotaExceededError` with the requested tokens; uses the platform's class if it has one. */
export function quotaExceeded(requested: number, quota: number): DOMException {
  const message = "the messages exceed the context window";
  const { QuotaExceededError } = globalThis as { QuotaExceededError?: QuotaExceeded };
  if (QuotaExceededError !== undefined) {
    return new QuotaExceededError(message, { requested, quota });
  }
  return Object.assign(new DOMException(message, "QuotaExceededError"), { requested, quota });
}
