/**
 * How well a confidence predicts success: a reliability table with the expected calibration error, and a fitted map
 * from confidence to probability.
 *
 * Source: Guo et al. 2017, "On calibration of modern neural networks", arXiv 1706.04599 (the error); Zadrozny and Elkan
 * 2002, "Transforming classifier outputs into accurate multiclass probability estimates", KDD (isotonic regression).
 * Differs from the first: bins have equal numbers of outcomes, not equal widths.
 */
import { WaggleError } from "@waggle/protocol";

/** What was expected of one trial, and what happened. */
export type Prediction = {
  /** In [0, 1]. */
  readonly confidence: number;
  readonly success: boolean;
};

/** Neighboring predictions. */
type ReliabilityBin = {
  readonly count: number;
  /** Mean confidence. */
  readonly confidence: number;
  /** Share of successes. */
  readonly success: number;
};

/** Bins from the lowest to the highest confidence. */
export type Reliability = {
  readonly bins: readonly ReliabilityBin[];
  /** Mean distance of confidence and success over the bins, weighted by their counts. In [0, 1]. */
  readonly error: number;
};

/**
 * The reliability table. Equal confidences may fall into neighboring bins; they keep the order of the input.
 * @throws WaggleError `INVALID_ARGUMENT` without predictions.
 */
export function reliability(predictions: readonly Prediction[], bins = 10): Reliability {
  requireSome(predictions);
  const sorted = predictions.toSorted((a, b) => a.confidence - b.confidence);
  const total = sorted.length;
  const edge = (nth: number): number => Math.round((nth * total) / bins);
  const found = Array.from({ length: bins }, (_, nth) => sorted.slice(edge(nth), edge(nth + 1)))
    .filter((bin) => bin.length > 0)
    .map((bin) => binOf(bin));
  const error = found.reduce(
    (sum, { count, confidence, success }) => sum + count * Math.abs(confidence - success),
    0,
  );
  return { bins: found, error: error / total };
}

/** A map from confidence to probability: points with rising x and y, and straight lines between them. */
export type CalibrationMap = readonly (readonly [confidence: number, probability: number])[];

/**
 * The isotonic fit: the rising step function with the least squared error, as points at the mean confidence of its
 * steps.
 * @throws WaggleError `INVALID_ARGUMENT` without predictions.
 */
export function isotonicFit(predictions: readonly Prediction[]): CalibrationMap {
  requireSome(predictions);
  const steps: ReliabilityBin[] = [];
  for (const one of predictions.toSorted((a, b) => a.confidence - b.confidence)) {
    let step = binOf([one]);
    for (let last = steps.at(-1); last !== undefined; last = steps.at(-1)) {
      if (last.success < step.success && last.confidence < step.confidence) break;
      steps.pop();
      step = joined(last, step);
    }
    steps.push(step);
  }
  return steps.map(({ confidence, success }) => [confidence, success]);
}

/** The probability of success at a confidence. Beyond the ends of the map it stays at their values. */
export function calibrated(map: CalibrationMap, confidence: number): number {
  const after = map.findIndex(([x]) => x >= confidence);
  const [x1, y1] = map[after === -1 ? map.length - 1 : after] ?? [confidence, confidence];
  const [x0, y0] = map[after - 1] ?? [x1, y1];
  return x1 === x0 || confidence >= x1 ? y1 : y0 + ((confidence - x0) / (x1 - x0)) * (y1 - y0);
}

/** Whether a person should be asked about a decision: never at threshold 0, always at 1. */
export function isUnsure(probability: number, threshold: number): boolean {
  return threshold >= 1 || probability < threshold;
}

function binOf(predictions: readonly Prediction[]): ReliabilityBin {
  const count = predictions.length;
  return {
    count,
    confidence: predictions.reduce((sum, one) => sum + one.confidence, 0) / count,
    success: predictions.filter(({ success }) => success).length / count,
  };
}

function joined(a: ReliabilityBin, b: ReliabilityBin): ReliabilityBin {
  const count = a.count + b.count;
  return {
    count,
    confidence: (a.count * a.confidence + b.count * b.confidence) / count,
    success: (a.count * a.success + b.count * b.success) / count,
  };
}

function requireSome(predictions: readonly Prediction[]): void {
  if (predictions.length > 0) return;
  throw new WaggleError("INVALID_ARGUMENT", "calibration cannot be measured without predictions");
}
