/**
 * Maps error codes to HTTP statuses and builds error responses. They never echo the payload that caused the
 * error.
 */
import { type ErrorBody, WaggleError, type WaggleErrorCode } from "@waggle/protocol";

/** Statuses of error responses. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 425 | 429 | 500 | 503;

const STATUS: { readonly [code in WaggleErrorCode]?: RefusalStatus } = {
  INVALID_ARGUMENT: 400,
  SCHEMA_INVALID: 400,
  SCHEMA_VERSION_UNSUPPORTED: 400,
  DIGEST_MISMATCH: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  CONSENT_MISSING: 403,
  CONSENT_EXPIRED: 403,
  SITE_UNKNOWN: 403,
  SIGNATURE_INVALID: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REPLAYED: 409,
  POLICY_VERSION_UNKNOWN: 409,
  ASSIGNMENT_MISMATCH: 409,
  SEED_MISMATCH: 409,
  LEASE_LOST: 409,
  CONFLICT: 409,
  PUBLICATION_STALE: 409,
  GATE_NOT_PASSED: 409,
  LINEAGE_ROLLED_BACK: 409,
  FROZEN: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  // Pages of the previous release repeat what was refused so. After a reload, they ask for a receipt first.
  CONSENT_UNPROVEN: 425,
  RATE_LIMITED: 429,
  // Trainers of earlier releases repeat a call with this status until it succeeds.
  RELEASE_RUNNING: 429,
  STORAGE_UNAVAILABLE: 503,
};

/** The status of an error code; 500 for codes that are faults of the Worker. */
export function statusOf(code: WaggleErrorCode): RefusalStatus {
  return STATUS[code] ?? 500;
}

/** Status and body of an error response. */
export type Refusal = { readonly status: RefusalStatus; readonly body: ErrorBody };

/**
 * The response to `error`. Only messages of a WaggleError leave the Worker. The response to a fault names the
 * request, so that the operator can find its log line.
 */
export function refusalOf(error: unknown, requestId: string): Refusal {
  const known = WaggleError.is(error) ? error : null;
  const code = known?.code ?? "INTERNAL";
  const status = statusOf(code);
  const text = known?.message ?? "internal error; please retry";
  const message = status >= 500 ? `${text} (request ${requestId})` : text;
  return { status, body: { error: { code, message } } };
}
