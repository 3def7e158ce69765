/**
 * Thinning a difference before it is added to others, so that they disturb each other less: both tails of
 * each tensor's entries are cut off.
 *
 * Source: Davari and Belilovsky 2023, "Model Breadcrumbs", arXiv:2312.06795.
 */
import { option, definePart } from "../composition/part-options.ts";
import { type TensorMap, WaggleError } from "@waggle/protocol";
import type { MergePart } from "../composition/part.ts";
import { mergeOp } from "./merge-part.ts";
import { withTaskVectors } from "./task-vectors.ts";
import { magnitudeQuantile, mapped } from "./tensor-maps.ts";

/**
 * Leaves out the smallest and the largest entries of each tensor: noise, and outliers that would
 * dominate a sum (Breadcrumbs).
 *
 * @param tails - shares of the entries; 0.85 and 0.01 are the published ones.
 */
export function withoutTails(
  delta: TensorMap,
  tails: { readonly smallest: number; readonly largest: number },
): TensorMap {
  requireShare("smallest", tails.smallest);
  requireShare("largest", tails.largest);
  return mapped(delta, (data) => {
    const low = magnitudeQuantile(data, tails.smallest);
    const high = magnitudeQuantile(data, 1 - tails.largest);
    return data.map((value) => (Math.abs(value) >= low && Math.abs(value) < high ? value : 0));
  });
}

function requireShare(name: string, share: number): void {
  if (!(share >= 0 && share <= 1)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `${name} must be a share in [0, 1], got ${share}; 0.2 means a fifth of the entries`,
    );
  }
}

/** `merge-op`: deltas without their smallest and largest entries, added. */
export function breadcrumbs(
  tails: { readonly smallest: number; readonly largest: number },
  scale?: number,
): MergePart {
  return definePart({ breadcrumbsScale: option(scale, 1) }, ({ breadcrumbsScale: scale }) =>
    mergeOp((base, deltas) =>
      withTaskVectors(
        base,
        deltas.map((delta) => withoutTails(delta, tails)),
        scale,
      ),
    ),
  );
}
