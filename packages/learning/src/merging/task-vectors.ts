/**
 * What training changed, as a thing that can be added, scaled and taken away: τ = θ_tuned − θ_base. A
 * skill that reinforcement added to an imitated policy is such a difference too (`taskVector(rl, sft)`),
 * and can be given to a sibling. The state `delta`, the part `merge-op`.
 *
 * Sources: Ilharco et al. 2022, "Editing Models with Task Arithmetic", arXiv:2212.04089; skills injected
 * with a scale (PaST), "Knowledge is Not Enough: Injecting RL Skills for Continual Adaptation" (the scale
 * is our reading).
 */
import { option, definePart } from "../composition/part-options.ts";
import type { TensorMap } from "@waggle/protocol";
import type { MergePart } from "../composition/part.ts";
import { mergeOp } from "./merge-part.ts";
import { combined } from "./tensor-maps.ts";

/** tuned − base. */
export function taskVector(tuned: TensorMap, base: TensorMap): TensorMap {
  return combined([tuned, base], ([a = 0, b = 0]) => a - b);
}

/** base + scale · Σ deltas. A negative scale takes a task away. */
export function withTaskVectors(
  base: TensorMap,
  deltas: readonly TensorMap[],
  scale: number,
): TensorMap {
  return combined([base, ...deltas], ([origin = 0, ...changes]) =>
    changes.reduce((sum, change) => sum + scale * change, origin),
  );
}

/** `merge-op`: base + scale · Σ deltas. */
export function addedDeltas(scale?: number): MergePart {
  return definePart({ addedDeltasScale: option(scale, 1) }, ({ addedDeltasScale: scale }) =>
    mergeOp((base, deltas) => withTaskVectors(base, deltas, scale)),
  );
}
