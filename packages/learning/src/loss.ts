/**
 * The result of a loss: a scalar to minimize, its derivatives with respect to the engine's outputs, and
 * metrics. There is no automatic differentiation: each loss computes its own derivatives.
 */
import type { TokenDerivatives } from "@waggle/protocol";

/** Derivatives at candidate tokens: per sequence `[T]` of `[K]`; `null` at tokens without candidates. */
export type CandidateDerivatives = readonly (readonly (Float64Array | null)[])[];

/** dL/d(output) in double precision, `[B][T]` unless said; an absent output has derivative 0. */
export type LossDerivatives = {
  readonly logProb?: readonly Float64Array[] | undefined;
  readonly rawLogProb?: readonly Float64Array[] | undefined;
  readonly entropy?: readonly Float64Array[] | undefined;
  /** `[B][T·H]`, in the layout of the engine's values. */
  readonly values?: readonly Float64Array[] | undefined;
  readonly candidateLogProbs?: CandidateDerivatives | undefined;
};

/** Value of a loss, its derivatives by token, and metrics. */
export type LossResult = {
  readonly loss: number;
  readonly derivatives: LossDerivatives;
  /** Means over the global token count, so the metrics of microbatches add up to the minibatch's. */
  readonly metrics: { readonly [name: string]: number };
};

/** The outputs whose derivatives are one number per token. */
const ROW_OUTPUTS = ["logProb", "rawLogProb", "entropy", "values"] as const;

/** Sum of losses, of their derivatives and of their metrics. Metric names must differ. */
export function addLosses(...parts: readonly LossResult[]): LossResult {
  const derivatives: { -readonly [Name in keyof LossDerivatives]: LossDerivatives[Name] } = {};
  for (const name of ROW_OUTPUTS) {
    const present = parts.flatMap((part) => part.derivatives[name] ?? []);
    if (present.length > 0) derivatives[name] = sumRows(parts.map((p) => p.derivatives[name]));
  }
  const candidates = parts.flatMap((part) => {
    const given = part.derivatives.candidateLogProbs;
    return given === undefined ? [] : [given];
  });
  if (candidates.length > 0) derivatives.candidateLogProbs = sumCandidates(candidates);
  return {
    loss: parts.reduce((sum, part) => sum + part.loss, 0),
    derivatives,
    metrics: Object.assign({}, ...parts.map((part) => part.metrics)) as { [name: string]: number },
  };
}

/** A loss times a constant, with its derivatives; the metrics are unchanged. */
export function scaleLoss(result: LossResult, factor: number): LossResult {
  const scaled = (row: Float64Array): Float64Array => row.map((value) => value * factor);
  const derivatives: { -readonly [Name in keyof LossDerivatives]: LossDerivatives[Name] } = {};
  for (const name of ROW_OUTPUTS) {
    const rows = result.derivatives[name];
    if (rows !== undefined) derivatives[name] = rows.map(scaled);
  }
  const candidates = result.derivatives.candidateLogProbs;
  if (candidates !== undefined) {
    derivatives.candidateLogProbs = candidates.map((row) =>
      row.map((entry) => (entry === null ? null : scaled(entry))),
    );
  }
  return { loss: result.loss * factor, derivatives, metrics: result.metrics };
}

/**
 * Joins the results of consecutive minibatches: mean loss and metrics, derivatives concatenated by row.
 */
export function concatenatedLosses(results: readonly LossResult[]): LossResult {
  const [first, ...others] = results;
  if (first !== undefined && others.length === 0) return first;
  const derivatives: { [name: string]: unknown[] } = {};
  for (const result of results) {
    for (const [name, rows] of Object.entries(result.derivatives)) {
      if (rows !== undefined) (derivatives[name] ??= []).push(...rows);
    }
  }
  return {
    loss: results.reduce((sum, { loss }) => sum + loss / results.length, 0),
    metrics: meanMetrics(results.map(({ metrics }) => metrics)),
    derivatives: derivatives as LossResult["derivatives"],
  };
}

/** Mean of each metric over all steps; a step without it counts as 0. */
export function meanMetrics(steps: readonly LossResult["metrics"][]): {
  readonly [name: string]: number;
} {
  const means: { [name: string]: number } = {};
  for (const metrics of steps) {
    for (const [name, value] of Object.entries(metrics)) {
      means[name] = (means[name] ?? 0) + value / steps.length;
    }
  }
  return means;
}

/** Norm of a gradient whose parts have these norms. */
export function jointNorm(norms: readonly number[]): number {
  return Math.sqrt(norms.reduce((sum, norm) => sum + norm ** 2, 0));
}

/** The engine's single-precision form of a loss's derivatives. */
export function toTokenDerivatives(derivatives: LossDerivatives): TokenDerivatives {
  const single: { -readonly [Name in keyof TokenDerivatives]: TokenDerivatives[Name] } = {};
  for (const name of ROW_OUTPUTS) {
    const rows = derivatives[name];
    if (rows !== undefined) single[name] = rows.map((row) => Float32Array.from(row));
  }
  const candidates = derivatives.candidateLogProbs;
  if (candidates !== undefined) {
    single.candidateLogProbs = candidates.map((row) =>
      row.map((entry) => (entry === null ? null : Float32Array.from(entry))),
    );
  }
  return single;
}

function sumRows(
  rows: readonly (readonly Float64Array[] | undefined)[],
): readonly Float64Array[] | undefined {
  const present = rows.filter((row) => row !== undefined);
  return present[0]?.map((row, b) =>
    row.map((_, t) => present.reduce((sum, other) => sum + (other[b]?.[t] ?? 0), 0)),
  );
}

function sumCandidates(parts: readonly CandidateDerivatives[]): CandidateDerivatives {
  const [first = [], ...others] = parts;
  return first.map((row, b) =>
    row.map((entry, t) => {
      const entries = [entry, ...others.map((other) => other[b]?.[t] ?? null)];
      const present = entries.filter((candidate) => candidate !== null);
      return (
        present[0]?.map((_, k) => present.reduce((sum, other) => sum + (other[k] ?? 0), 0)) ?? null
      );
    }),
  );
}
