/**
 * Adding differences where they agree in sign: each is trimmed to its largest entries, each place elects
 * the sign with the larger sum, and those that share it are averaged.
 *
 * Source: Yadav et al. 2023, "TIES-Merging", arXiv:2306.01708, section 4.
 */
import type { TensorMap } from "@waggle/protocol";
import { largestEntries } from "./sparse-deltas.ts";
import { combined } from "./tensor-maps.ts";

/** One difference out of several. @param share - of entries that each keeps; 0.2 is published. */
export function signElected(deltas: readonly TensorMap[], share: number): TensorMap {
  const trimmed = deltas.map((delta) => largestEntries(delta, share));
  return combined(trimmed, (values) => {
    const elected = Math.sign(values.reduce((sum, value) => sum + value, 0));
    const agreeing = values.filter((value) => value !== 0 && Math.sign(value) === elected);
    return agreeing.length === 0
      ? 0
      : agreeing.reduce((sum, value) => sum + value, 0) / agreeing.length;
  });
}
