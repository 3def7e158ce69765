/** The error of a CPU backend that is out of memory. */
import { WaggleError } from "@waggle/protocol";

/** @param what - the attempted operation: `allocate`, `open a session`. */
export function outOfMemory(what: string, detail: string): WaggleError {
  return new WaggleError(
    "OUT_OF_MEMORY",
    `no memory to ${what}: "${detail.slice(0, 200)}"; dispose sessions, or use a smaller model or shorter contexts`,
    { retryable: true },
  );
}
