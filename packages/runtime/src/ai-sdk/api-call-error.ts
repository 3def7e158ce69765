/**
 * A chat's error that the AI SDK treats as its `APICallError`, so that it retries what may pass. The SDK recognizes
 * its errors by symbols, so none of its code is loaded.
 */
import type { APICallError } from "@ai-sdk/provider";
import { WaggleError } from "@waggle/protocol";
import { statusOf } from "../openai-http/http-errors.ts";

const MARKERS = ["vercel.ai.error", "vercel.ai.error.AI_APICallError"].map((name) =>
  Symbol.for(name),
);

type CallFields = Pick<
  APICallError,
  "url" | "requestBodyValues" | "statusCode" | "responseHeaders" | "isRetryable" | "data"
>;

/** A WaggleError with the members of an `APICallError`; `url` is empty, because a local model has none. */
class ChatCallError extends WaggleError implements CallFields {
  readonly url = "";
  readonly requestBodyValues: unknown;
  readonly statusCode: number;
  readonly responseHeaders?: Record<string, string>;
  readonly isRetryable: boolean;
  readonly data: unknown;

  constructor(error: WaggleError, request: object) {
    super(error.code, error.message, error);
    this.requestBodyValues = request;
    this.statusCode = statusOf(error);
    if (error.retryAfterMs !== undefined) {
      this.responseHeaders = { "retry-after-ms": String(error.retryAfterMs) };
    }
    this.isRetryable = error.retryable;
    this.data = { code: error.code };
    for (const marker of MARKERS) Object.defineProperty(this, marker, { value: true });
  }
}

/** The error as an `APICallError` if it is a chat's, otherwise unchanged, as for an abort. */
export function apiCallError(error: unknown, request: object): unknown {
  return WaggleError.is(error) ? new ChatCallError(error, request) : error;
}
