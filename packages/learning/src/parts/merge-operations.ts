/** Merge parts: what several models learned, as one. */
import type { MergePart } from "../composition/part.ts";
import { WaggleError } from "@waggle/protocol";
import { averaged, sphericallyInterpolated } from "../merging/interpolation.ts";
import { orthogonalized } from "../merging/orthogonal.ts";
import { reinforcedMerge } from "../merging/reinforced-merge.ts";
import { withoutTails } from "../merging/sparse-deltas.ts";
import { withTaskVectors } from "../merging/task-vectors.ts";

function mergeOp(merge: MergePart["merge"]): MergePart {
  return { slot: "loss", part: "merge-op", needs: ["delta"], merge };
}

/** `merge-op`: base + scale · Σ deltas. */
export function addedDeltas(scale = 1): MergePart {
  return mergeOp((base, deltas) => withTaskVectors(base, deltas, scale));
}

/** `merge-op`: base + mean of the deltas. */
export function averagedDeltas(): MergePart {
  return mergeOp((base, deltas) => withTaskVectors(base, [averaged(deltas)], 1));
}

/** `merge-op`: the point at `t` of the arc between two models. */
export function spherical(t = 0.5): MergePart {
  return mergeOp((base, deltas) => {
    const [from, to, ...more] = deltas.map((delta) => withTaskVectors(base, [delta], 1));
    if (from === undefined || to === undefined || more.length > 0) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `an arc lies between two models, got ${deltas.length}; average more than two`,
      );
    }
    return sphericallyInterpolated(from, to, t);
  });
}

/**
 * `merge-op`: deltas added, each without what lies along those before it, so that a later one takes
 * nothing of an earlier one away.
 */
export function orthogonalDeltas(scale = 1): MergePart {
  return mergeOp((base, deltas) => withTaskVectors(base, orthogonalized(deltas), scale));
}

/** `merge-op`: deltas without their smallest and largest entries, added. */
export function breadcrumbs(
  tails: { readonly smallest: number; readonly largest: number },
  scale = 1,
): MergePart {
  return mergeOp((base, deltas) =>
    withTaskVectors(
      base,
      deltas.map((delta) => withoutTails(delta, tails)),
      scale,
    ),
  );
}

/** `merge-op`: entries that several changed are averaged, those of one alone are rescaled. */
export function reinforced(rescaling = 0): MergePart {
  return mergeOp((base, deltas) =>
    withTaskVectors(base, [reinforcedMerge(deltas, { rescaling })], 1),
  );
}
