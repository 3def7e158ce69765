/**
 * `mixed-group`: dynamic sampling. Groups that scored alike are left out and the batch is filled up
 * with new ones, until it is full or the budget of rollouts is spent.
 *
 * Source: Yu et al. 2025, "DAPO" (dynamic sampling), arXiv:2503.14476.
 * Differs from it: a budget bounds the refill, and a batch that stays short is said to be short.
 */
import { requireInside } from "../statistics.ts";
import { zeroVarianceFilter } from "./group-filter.ts";
import { type Selection, selectBy } from "./selection.ts";

/** Keeps groups with a signal. `[groups][G]` rewards. */
export function mixedGroups(
  groups: readonly (readonly number[])[],
  tolerance: number = 1e-6,
): Selection {
  return selectBy(groups, zeroVarianceFilter(tolerance));
}

export type RefillState = {
  /** Groups with a signal that the batch wants. */
  readonly wanted: number;
  /** Groups sampled so far, and how many of them had a signal. */
  readonly sampled: number;
  readonly kept: number;
  /** Most groups sampled for one batch. */
  readonly most: number;
};

export type Refill =
  | { readonly kind: "full" }
  /** Sample so many more groups: what is missing over the share kept so far. */
  | { readonly kind: "sample"; readonly groups: number }
  /** The budget is spent; the batch is what it is. */
  | { readonly kind: "short"; readonly missing: number };

/** What to do next for this batch. */
export function refill({ wanted, sampled, kept, most }: RefillState): Refill {
  requireInside("kept", kept, 0, sampled);
  const missing = wanted - kept;
  if (missing <= 0) return { kind: "full" };
  if (sampled >= most) return { kind: "short", missing };
  // (kept + 1)/(sampled + 2): a share that is never 0, so that one flat round does not ask for all.
  const share = (kept + 1) / (sampled + 2);
  return { kind: "sample", groups: Math.min(Math.ceil(missing / share), most - sampled) };
}
