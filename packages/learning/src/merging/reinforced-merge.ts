/**
 * Merges policies trained by reinforcement learning. It changes few weights, and different ones for each task, so a
 * plain average shrinks the changes of each task. Here shared changes are averaged and unique ones kept; with a
 * rescaling above 0, unique changes are increased for tasks with much overlap.
 *
 * Source: Yuan et al. 2026, "Behavior Knowledge Merge in Reinforced Agentic Models" (RAM, RAM+),
 * arXiv:2601.13572.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { TensorMap } from "@waggle/protocol";
import type { MergePart } from "../composition/part.ts";
import { mergeOp } from "./merge-part.ts";
import { withTaskVectors } from "./task-vectors.ts";
import { combined, requireAlike } from "./tensor-maps.ts";

export type ReinforcedMergeOptions = {
  /** Changes up to this size are ignored. Default 1e-5. */
  readonly threshold?: number | undefined;
  /** r of λ = 1 + r·min(shared/unique, limit); 0 is RAM. Default 0. */
  readonly rescaling?: number | undefined;
  /** Default 1. */
  readonly limit?: number | undefined;
};

/** Merges several deltas into one. */
export function reinforcedMerge(
  deltas: readonly TensorMap[],
  options: ReinforcedMergeOptions = {},
): TensorMap {
  const { threshold = 1e-5, rescaling = 0, limit = 1 } = options;
  const changes = (value: number): boolean => Math.abs(value) > threshold;
  const scales =
    rescaling === 0
      ? deltas.map(() => 1)
      : overlaps(deltas, changes).map((overlap) => 1 + rescaling * Math.min(overlap, limit));
  return combined(deltas, (values) => {
    const changed = [...values.keys()].filter((k) => changes(values[k] as number));
    const sum = changed.reduce((total, k) => total + (values[k] as number), 0);
    const [only] = changed;
    if (only === undefined) return 0;
    return changed.length === 1 ? sum * (scales[only] as number) : sum / changed.length;
  });
}

/** For each delta, the number of shared entries per entry that only it changes. */
function overlaps(
  deltas: readonly TensorMap[],
  changes: (value: number) => boolean,
): readonly number[] {
  const shared = deltas.map(() => 0);
  const unique = deltas.map(() => 0);
  for (const [name, { data }] of requireAlike(deltas)) {
    for (const i of data.keys()) {
      const changed = [...deltas.keys()].filter((k) => changes(deltas[k]?.get(name)?.data[i] ?? 0));
      const counts = changed.length > 1 ? shared : unique;
      for (const k of changed) counts[k] = (counts[k] as number) + 1;
    }
  }
  return shared.map((count, k) => (count === 0 ? 0 : count / Math.max(1, unique[k] as number)));
}

/** `merge-op`: averages entries that several members changed, and rescales entries of only one. */
export function reinforced(rescaling?: number): MergePart {
  return definePart({ rescaling: option(rescaling, 0) }, ({ rescaling }) =>
    mergeOp((base, deltas) => withTaskVectors(base, [reinforcedMerge(deltas, { rescaling })], 1)),
  );
}
