/** Headers that HTTP requires with some error statuses. */
import { WaggleError } from "@waggle/protocol";
import type { EdgeContext } from "./endpoint.ts";

/** The headers of an error response. `Allow` is set where the methods of a path are known. */
export function refusalHeaders(
  { req }: EdgeContext,
  status: number,
  error: unknown,
): { [name: string]: string } {
  if (status === 429) return { "Retry-After": retryAfter(error) };
  if (status !== 401) return {};
  // As RFC 6750 defines it: a request without credentials gets no error code.
  const isSent = req.header("Authorization") !== undefined;
  return { "WWW-Authenticate": `Bearer realm="waggle"${isSent ? ', error="invalid_token"' : ""}` };
}

/** Whole seconds, rounded up, so that a client that waits this long is not refused again. */
function retryAfter(error: unknown): string {
  const ms = (WaggleError.is(error) ? error.retryAfterMs : undefined) ?? 60_000;
  return String(Math.ceil(ms / 1000));
}
