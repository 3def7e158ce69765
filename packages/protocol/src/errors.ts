/**
 * The one error class that crosses package and process boundaries, and a helper that gives a failure
 * the code of the boundary where it happened. A model's mistake is not an error but an observation
 * that the model sees. An abort is not an error but a stop reason.
 */
import { isObject } from "./json-object.ts";

/** Stable error codes. Clients may branch on them, so codes are only ever added. */
export type WaggleErrorCode =
  // misuse by the programmer
  | "INVALID_ARGUMENT"
  | "SHAPE_MISMATCH"
  | "GROUP_TOO_SMALL"
  | "NON_FINITE_REWARD"
  | "NON_FINITE_VALUE"
  | "CAPABILITY_MISSING"
  | "DISPOSED"
  | "REPLAY_DIVERGED"
  // models, adapters, tokenizers
  | "MODEL_UNSUPPORTED"
  | "MODEL_CORRUPT"
  | "ADAPTER_INCOMPATIBLE"
  | "TOKENIZER_UNSUPPORTED"
  | "TEMPLATE_NOT_APPEND_ONLY"
  | "TEMPLATE_UNSUPPORTED"
  | "CONTEXT_OVERFLOW"
  | "GRAMMAR_UNSUPPORTED"
  | "OUT_OF_MEMORY"
  | "MODEL_TOO_LARGE"
  // failures outside the program
  | "NETWORK"
  | "TIMEOUT"
  | "QUOTA_EXCEEDED"
  | "STORAGE_UNAVAILABLE"
  | "DEVICE_LOST"
  | "DEVICE_UNAVAILABLE"
  | "BROWSER_UNSUPPORTED"
  | "TOOL_UNAVAILABLE"
  | "REWARD_UNAVAILABLE"
  | "CHECKPOINT_CORRUPT"
  | "INTERNAL"
  // the operator has switched the assistant off
  | "SILENCED"
  // a model's mistakes; returned to the model as tool results, never thrown
  | "UNKNOWN_TOOL"
  | "INVALID_TOOL_CALL"
  | "INVALID_TOOL_ARGUMENTS"
  | "TOOL_FAILED"
  // requests that the edge refuses
  | "SCHEMA_INVALID"
  | "SCHEMA_VERSION_UNSUPPORTED"
  | "PAYLOAD_TOO_LARGE"
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "CONSENT_MISSING"
  | "CONSENT_UNPROVEN"
  | "CONSENT_EXPIRED"
  | "SITE_UNKNOWN"
  | "DIGEST_MISMATCH"
  | "REPLAYED"
  | "POLICY_VERSION_UNKNOWN"
  | "ASSIGNMENT_MISMATCH"
  | "SEED_MISMATCH"
  | "LEASE_LOST"
  | "CONFLICT"
  | "PUBLICATION_STALE"
  | "GATE_NOT_PASSED"
  | "LINEAGE_ROLLED_BACK"
  | "RATE_LIMITED"
  | "METHOD_NOT_ALLOWED"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "FROZEN"
  | "RELEASE_RUNNING"
  // refused by pages, and by the edge of a site with publisher keys
  | "SIGNATURE_INVALID";

/** Optional members of a `WaggleError`. */
export type WaggleErrorOptions = {
  /** True when the same call may succeed later. Default false. */
  readonly retryable?: boolean;
  /** How long to wait before retrying, if the other side said so. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
};

const BRAND = Symbol.for("waggle.error");

/** An error with a stable code. Recognize it with `WaggleError.is`, never with `instanceof`. */
export class WaggleError extends Error {
  readonly code: WaggleErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(code: WaggleErrorCode, message: string, options: WaggleErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "WaggleError";
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** True for a WaggleError from any bundle or realm. With `code`, only for that code. */
  static is(error: unknown, code?: WaggleErrorCode): error is WaggleError {
    return isObject(error) && BRAND in error && (code === undefined || error["code"] === code);
  }
}

/** Where a failure can enter: each name maps to one error code. */
export type BoundaryName = "verifier" | "tool" | "network" | "storage" | "device";

const BOUNDARY_CODES: { readonly [name in BoundaryName]: WaggleErrorCode } = {
  verifier: "REWARD_UNAVAILABLE",
  tool: "TOOL_UNAVAILABLE",
  network: "NETWORK",
  storage: "STORAGE_UNAVAILABLE",
  device: "DEVICE_LOST",
};

/**
 * Runs `fn` and wraps a plain error in a retryable WaggleError with this boundary's code. A
 * WaggleError or an abort (`AbortError`) is rethrown unchanged.
 */
export async function boundary<T>(name: BoundaryName, fn: () => Promise<T> | T): Promise<T> {
  try {
    return await fn();
  } catch (error) {
    if (WaggleError.is(error)) throw error;
    if (error instanceof Error && error.name === "AbortError") throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new WaggleError(BOUNDARY_CODES[name], `${name} failed: ${reason.slice(0, 500)}`, {
      retryable: true,
      cause: error,
    });
  }
}
