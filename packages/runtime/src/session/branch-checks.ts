/** The checks of branches that pages and workers both make. */
import { WaggleError } from "@waggle/protocol";

/** @throws WaggleError `INVALID_ARGUMENT` when a session of `length` tokens has no such place. */
export function assertBranchAt(at: number | undefined, length: number): void {
  if (at === undefined || (Number.isInteger(at) && at >= 0 && at <= length)) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `a fork must be at [0, ${length}], got ${at}; pass an index of this session's tokens`,
  );
}

/** @throws WaggleError `INVALID_ARGUMENT` when there is no group of `n`. */
export function assertGroupSize(n: number): void {
  if (Number.isInteger(n) && n >= 1) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `a group must have at least 1 session, got ${n}; pass how many continuations are wanted`,
  );
}
