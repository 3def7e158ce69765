/** Reads the `Retry-After` header. */

/** The delay in milliseconds, at most an hour, from seconds or a date (RFC 9110 §10.2.3); `null` without the header. */
export function retryAfterMs(response: Response | null, now: number): number | null {
  const value = response?.headers.get("retry-after");
  if (value === null || value === undefined) return null;
  const delay = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(delay) ? Math.min(Math.max(delay, 0), 3_600_000) : null;
}
