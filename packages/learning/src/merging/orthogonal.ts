/**
 * Orthogonalizes parameter changes, tensor by tensor: each change loses its component along the earlier ones, so
 * that it does not undo them.
 *
 * Sources: modified Gram-Schmidt, textbook; adapters kept orthogonal, "Low-Rank Continual Personalization
 * of Diffusion Models", arXiv:2410.04891, after Wang et al. 2023, "Orthogonal Subspace Learning" (O-LoRA),
 * arXiv:2310.14152. Differs from it: changes are made orthogonal when they are merged, not while they are
 * learned.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { TensorMap } from "@waggle/protocol";
import type { MergePart } from "../composition/part.ts";
import { mergeOp } from "./merge-part.ts";
import { withTaskVectors } from "./task-vectors.ts";
import { requireAlike } from "./tensor-maps.ts";

/** The orthogonalized deltas, in order; the first is unchanged. @throws WaggleError `SHAPE_MISMATCH` */
export function orthogonalized(deltas: readonly TensorMap[]): TensorMap[] {
  requireAlike(deltas);
  const done: Map<string, { shape: readonly number[]; data: Float32Array }>[] = [];
  for (const delta of deltas) {
    const left = new Map(
      Array.from(delta, ([name, { shape, data }]) => {
        let rest = Float64Array.from(data);
        for (const earlier of done) {
          const along = earlier.get(name)?.data ?? new Float32Array();
          const square = dot(along, along);
          const share = square === 0 ? 0 : dot(rest, along) / square;
          rest = rest.map((value, i) => value - share * (along[i] ?? 0));
        }
        return [name, { shape, data: Float32Array.from(rest) }];
      }),
    );
    done.push(left);
  }
  return done;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/**
 * `merge-op`: sum of the deltas, each without its component along the earlier ones, so that a later delta does not
 * undo an earlier one.
 */
export function orthogonalDeltas(scale?: number): MergePart {
  return definePart(
    { orthogonalDeltasScale: option(scale, 1) },
    ({ orthogonalDeltasScale: scale }) =>
      mergeOp((base, deltas) => withTaskVectors(base, orthogonalized(deltas), scale)),
  );
}
