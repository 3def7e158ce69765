/** Checks of branches, made by both pages and workers. */
import { WaggleError } from "@waggle/protocol";

/** @throws WaggleError `INVALID_ARGUMENT` if a session of `length` tokens has no such position. */
export function assertBranchAt(at: number | undefined, length: number): void {
  if (at === undefined || (Number.isInteger(at) && at >= 0 && at <= length)) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `a fork must be at [0, ${length}], got ${at}; pass an index of this session's tokens`,
  );
}

/** @throws WaggleError `INVALID_ARGUMENT` if `n` is not a positive integer. */
export function assertGroupSize(n: number): void {
  if (Number.isInteger(n) && n >= 1) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `a group needs at least 1 session, got ${n}; pass the number of continuations`,
  );
}
