/** A chat's errors as the draft names them. */
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

/** A chat's error as a DOMException; aborts and other errors as they are. */
export function toDomException(error: unknown): unknown {
  if (!WaggleError.is(error)) return error;
  return new DOMException(error.message, NAMES[error.code] ?? "UnknownError");
}

type QuotaExceeded = new (
  message: string,
  options: { readonly requested: number; readonly quota: number },
) => DOMException;

/** `QuotaExceededError` with what was asked for: a class of its own where the platform has it. */
export function quotaExceeded(requested: number, quota: number): DOMException {
  const message = "the messages must fit the context window";
  const { QuotaExceededError } = globalThis as { QuotaExceededError?: QuotaExceeded };
  if (QuotaExceededError !== undefined) {
    return new QuotaExceededError(message, { requested, quota });
  }
  return Object.assign(new DOMException(message, "QuotaExceededError"), { requested, quota });
}
