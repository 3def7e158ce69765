/** The error of a CPU back end that has no room left. */
import { WaggleError } from "@waggle/protocol";

/** @param what - what was tried: `allocate`, `open a session`. */
export function outOfMemory(what: string, detail: string): WaggleError {
  return new WaggleError(
    "OUT_OF_MEMORY",
    `there must be memory to ${what}, got "${detail.slice(0, 200)}"; dispose sessions, or use a smaller model or shorter contexts`,
    { retryable: true },
  );
}
