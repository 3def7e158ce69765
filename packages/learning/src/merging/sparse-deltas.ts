/**
 * Sparsifies deltas before they are added, so that they interfere less: the smallest and largest entries of each
 * tensor are removed.
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
 * Removes the smallest and the largest entries of each tensor: noise, and outliers that would dominate a sum
 * (Breadcrumbs).
 *
 * @param tails - shares of removed entries; the paper uses 0.85 and 0.01.
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
      `${name} must be in [0, 1], got ${share} (0.2 is a fifth of the entries)`,
    );
  }
}

/** `merge-op`: sum of the deltas without their smallest and largest entries. */
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
