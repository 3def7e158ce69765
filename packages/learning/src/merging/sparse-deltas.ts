/**
 * Thinning a difference before it is added to others, so that they disturb each other less: the largest
 * entries only, both tails cut off, or a random share with the rest scaled up. Tensor by tensor.
 *
 * Sources: Ansell et al. 2021, "Composable Sparse Fine-Tuning for Cross-Lingual Transfer",
 * arXiv:2110.07560 (largest entries; sparse deltas add); Davari and Belilovsky 2023, "Model Breadcrumbs",
 * arXiv:2312.06795; Yu et al. 2023, "Language Models are Super Mario" (DARE), arXiv:2311.03099.
 */
import type { TensorMap } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import { magnitudeQuantile, mapped } from "./tensor-maps.ts";

/** Keeps the `share` of each tensor's entries that is largest in magnitude; ties stay. */
export function largestEntries(delta: TensorMap, share: number): TensorMap {
  requireShare("share", share);
  return mapped(delta, (data) => {
    const smallest = magnitudeQuantile(data, 1 - share);
    return data.map((value) => (Math.abs(value) >= smallest ? value : 0));
  });
}

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

/**
 * Drops each entry with a chance of `dropped` and scales the rest by 1 / (1 − dropped), which keeps the
 * expectation (DARE).
 *
 * @param random - yields [0, 1).
 */
export function randomlyThinned(
  delta: TensorMap,
  dropped: number,
  random: () => number,
): TensorMap {
  requireShare("dropped", dropped);
  const scale = dropped === 1 ? 0 : 1 / (1 - dropped);
  return mapped(delta, (data) => data.map((value) => (random() < dropped ? 0 : value * scale)));
}

function requireShare(name: string, share: number): void {
  if (!(share >= 0 && share <= 1)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `${name} must be a share in [0, 1], got ${share}; 0.2 means a fifth of the entries`,
    );
  }
}
