/** How close is close enough: one table for all tests. A looser value needs a comment with the cause. */

/** |actual − expected| ≤ absolute + relative · |expected|. */
export type Tolerance = { readonly relative: number; readonly absolute: number };

type Precision = "f64" | "f32" | "f32Reduction" | "f16" | "finiteDifference";

/** Default tolerances by precision. */
export const TOLERANCE: { readonly [precision in Precision]: Tolerance } = {
  /** Mathematics on JavaScript numbers. */
  f64: { relative: 1e-12, absolute: 1e-12 },
  /** One f32 operation per element. */
  f32: { relative: 1e-5, absolute: 1e-6 },
  /** Sums, matrix products and softmax in f32. */
  f32Reduction: { relative: 1e-4, absolute: 1e-4 },
  f16: { relative: 1e-2, absolute: 1e-3 },
  /** Central differences in f64 against an analytic derivative. */
  finiteDifference: { relative: 1e-6, absolute: 1e-8 },
};
