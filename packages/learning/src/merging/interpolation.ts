/**
 * Interpolation of models: weighted averages of fine-tuned models, and spherical interpolation of two.
 *
 * Sources: Wortsman et al. 2022, "Model soups", arXiv:2203.05482; averages of fine-tunes from varied
 * starts, Ramé et al. 2022, "Model Ratatouille", arXiv:2212.10445; the arc (SLERP), Shoemake 1985,
 * "Animating rotation with quaternion curves", per tensor as mergekit does.
 */
import { option, definePart } from "../composition/part-options.ts";
import { type TensorMap, WaggleError } from "@waggle/protocol";
import type { MergePart } from "../composition/part.ts";
import { mergeOp } from "./merge-part.ts";
import { withTaskVectors } from "./task-vectors.ts";
import { combined, requireAlike } from "./tensor-maps.ts";

/** Σ weight·model / Σ weight. @param weights - not negative, not all 0; default: equal. */
export function averaged(
  models: readonly TensorMap[],
  weights: readonly number[] = models.map(() => 1),
): TensorMap {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (weights.length !== models.length || weights.some((w) => !(w >= 0)) || !(total > 0)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `weights [${weights.slice(0, 8).join(", ")}] do not fit ${models.length} models; give one per model, not negative and not all 0, or none for a plain mean`,
    );
  }
  return combined(models, (values) =>
    values.reduce((sum, value, k) => sum + ((weights[k] as number) / total) * value, 0),
  );
}

/** Below this sine of the angle, linear interpolation replaces spherical. */
const SMALLEST_SINE = 1e-6;

/**
 * Spherical interpolation between two models at t, tensor by tensor. Vectors of different lengths are combined
 * with the same coefficients.
 */
export function sphericallyInterpolated(from: TensorMap, to: TensorMap, t: number): TensorMap {
  requireAlike([from, to]);
  const coefficients = new Map(
    Array.from(from, ([name, { data }]) => {
      const other = to.get(name)?.data ?? data;
      let dot = 0;
      let squares = 0;
      let otherSquares = 0;
      for (const [i, value] of data.entries()) {
        const across = other[i] as number;
        dot += value * across;
        squares += value * value;
        otherSquares += across * across;
      }
      const norm = Math.sqrt(squares * otherSquares);
      const angle = norm === 0 ? 0 : Math.acos(Math.min(1, Math.max(-1, dot / norm)));
      const sine = Math.sin(angle);
      return [
        name,
        sine < SMALLEST_SINE
          ? ([1 - t, t] as const)
          : ([Math.sin((1 - t) * angle) / sine, Math.sin(t * angle) / sine] as const),
      ];
    }),
  );
  return combined([from, to], ([a = 0, b = 0], name) => {
    const [near, far] = coefficients.get(name) as readonly [number, number];
    return near * a + far * b;
  });
}

/** `merge-op`: base + mean of the deltas. */
export function averagedDeltas(): MergePart {
  return mergeOp((base, deltas) => withTaskVectors(base, [averaged(deltas)], 1));
}

/** `merge-op`: spherical interpolation between two models at `t`. */
export function spherical(t?: number): MergePart {
  return definePart({ sphericalT: option(t, 0.5) }, ({ sphericalT: t }) =>
    mergeOp((base, deltas) => {
      const [from, to, ...more] = deltas.map((delta) => withTaskVectors(base, [delta], 1));
      if (from === undefined || to === undefined || more.length > 0) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `spherical interpolation takes two models, not ${deltas.length}; use the average for more`,
        );
      }
      return sphericallyInterpolated(from, to, t);
    }),
  );
}
