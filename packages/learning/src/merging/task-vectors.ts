/**
 * Task vectors: the change of the parameters by training, τ = θ_tuned − θ_base, which can be added, scaled and
 * subtracted. `taskVector(rl, sft)` is the change by reinforcement learning, and can be added to another model. The
 * state `delta`, the part `merge-op`.
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

/** base + scale · Σ deltas. A negative scale removes a task. */
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
