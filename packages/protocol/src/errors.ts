/**
 * The one error class that crosses package and process boundaries, and the helper that types a
 * failure by the boundary it crossed. Not for a model's mistake (that is an observation the model
 * sees) and not for an abort (that is a stop reason).
 */

/** Append-only list of stable codes; a client may branch on them. */
export type WaggleErrorCode =
  // misuse by a programmer
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
  | "CONTEXT_OVERFLOW"
  | "GRAMMAR_UNSUPPORTED"
  | "OUT_OF_MEMORY"
  | "MODEL_TOO_LARGE"
  // the world
  | "NETWORK"
  | "TIMEOUT"
  | "QUOTA_EXCEEDED"
  | "STORAGE_UNAVAILABLE"
  | "DEVICE_LOST"
  | "DEVICE_UNAVAILABLE"
  | "TOOL_UNAVAILABLE"
  | "REWARD_UNAVAILABLE"
  | "CHECKPOINT_CORRUPT"
  | "INTERNAL"
  // the operator has switched the assistant off
  | "SILENCED"
  // what a model can do wrong; carried as data on a tool result, never thrown out of a loop
  | "UNKNOWN_TOOL"
  | "INVALID_TOOL_CALL"
  | "INVALID_TOOL_ARGUMENTS"
  | "TOOL_FAILED"
  // refusals at the edge
  | "SCHEMA_INVALID"
  | "SCHEMA_VERSION_UNSUPPORTED"
  | "PAYLOAD_TOO_LARGE"
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "CONSENT_MISSING"
  | "DIGEST_MISMATCH"
  | "REPLAYED"
  | "POLICY_VERSION_UNKNOWN"
  | "ASSIGNMENT_MISMATCH"
  | "LEASE_LOST"
  | "CONFLICT"
  | "PUBLICATION_STALE"
  | "GATE_NOT_PASSED"
  | "LINEAGE_ROLLED_BACK"
  | "RATE_LIMITED"
  | "METHOD_NOT_ALLOWED"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "FROZEN";

export type WaggleErrorOptions = {
  /** True when the same call may succeed later without a change. Default false. */
  readonly retryable?: boolean;
  /** How long to wait before it is tried again, where the other side said so. */
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

  /** True for a WaggleError of any bundle or realm, and of this code where one is given. */
  static is(error: unknown, code?: WaggleErrorCode): error is WaggleError {
    return (
      typeof error === "object" &&
      error !== null &&
      BRAND in error &&
      (code === undefined || (error as { code?: unknown }).code === code)
    );
  }
}

export type BoundaryName = "verifier" | "tool" | "network" | "storage" | "device";

const BOUNDARY_CODES: { readonly [name in BoundaryName]: WaggleErrorCode } = {
  verifier: "REWARD_UNAVAILABLE",
  tool: "TOOL_UNAVAILABLE",
  network: "NETWORK",
  storage: "STORAGE_UNAVAILABLE",
  device: "DEVICE_LOST",
};

/**
 * Runs `fn` and types what it throws by the boundary that broke. A WaggleError passes unchanged,
 * an abort (`AbortError`) too: extension code throws plain errors and this classifies them.
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
