/** Checks of branches, made by both pages and workers. */
import { WaggleError } from "@waggle/protocol";

/** @throws WaggleError `INVALID_ARGUMENT` if a session of `length` tokens has no such position. */
export function assertBranchAt(at: number | undefined, length: number): void {
  if (at === undefined || (Number.isInteger(at) && at >= 0 && at <= length)) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `cannot fork at token ${at} of a session with ${length} tokens`,
  );
}

/** @throws WaggleError `INVALID_ARGUMENT` if `n` is not a positive integer. */
export function assertGroupSize(n: number): void {
  if (Number.isInteger(n) && n >= 1) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `cannot fork a group of ${n} sessions; a group has at least 1`,
  );
}
