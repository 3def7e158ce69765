/**
 * What every loss returns: a scalar to minimise, its derivative with respect to each number the
 * engine gave, and metrics. Not an autodiff: each loss states its own derivatives.
 */
import type { TokenDerivatives } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import { type LossMask, lossTokenCount } from "./token-rows.ts";

/** `[B][T]` dL/d(output) in double precision; an absent output has derivative 0. */
export type LossDerivatives = {
  readonly logProb?: readonly Float64Array[];
  readonly entropy?: readonly Float64Array[];
};

export type LossResult = {
  readonly loss: number;
  readonly derivatives: LossDerivatives;
  /** Means over the global token count, so the metrics of microbatches add up to the minibatch's. */
  readonly metrics: { readonly [name: string]: number };
};

/** The global count a token-mean divides by. */
export type TokenCountOption = {
  /**
   * Loss tokens of the whole minibatch, not of this microbatch. Default: those of the mask given,
   * which is right only where the minibatch is not split.
   */
  readonly tokenCount?: number;
};

/**
 * 1 / the global count, and 0 for a minibatch without loss tokens (whose loss and gradient are 0).
 *
 * @throws WaggleError `INVALID_ARGUMENT` when the count is smaller than what the mask keeps.
 */
export function tokenMeanScale(lossMask: LossMask, options: TokenCountOption): number {
  const kept = lossTokenCount(lossMask);
  const tokenCount = options.tokenCount ?? kept;
  if (!Number.isInteger(tokenCount) || tokenCount < kept) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `tokenCount must be an integer of at least the ${kept} tokens under the mask, got ${tokenCount}; pass the count of the whole minibatch`,
    );
  }
  return tokenCount === 0 ? 0 : 1 / tokenCount;
}

/** Sum of losses, of their derivatives and of their metrics. Metric names must differ. */
export function addLosses(...parts: readonly LossResult[]): LossResult {
  const sumRows = (
    rows: readonly (readonly Float64Array[] | undefined)[],
  ): readonly Float64Array[] | undefined => {
    const present = rows.filter((row) => row !== undefined);
    const first = present[0];
    if (first === undefined) return undefined;
    return first.map((row, b) =>
      row.map((_, t) => present.reduce((sum, other) => sum + (other[b]?.[t] ?? 0), 0)),
    );
  };
  const logProb = sumRows(parts.map((part) => part.derivatives.logProb));
  const entropy = sumRows(parts.map((part) => part.derivatives.entropy));
  return {
    loss: parts.reduce((sum, part) => sum + part.loss, 0),
    derivatives: {
      ...(logProb === undefined ? {} : { logProb }),
      ...(entropy === undefined ? {} : { entropy }),
    },
    metrics: Object.assign({}, ...parts.map((part) => part.metrics)) as { [name: string]: number },
  };
}

/** The engine's single-precision form of a loss's derivatives. */
export function toTokenDerivatives(derivatives: LossDerivatives): TokenDerivatives {
  const toFloat32 = (rows: readonly Float64Array[]): Float32Array[] =>
    rows.map((row) => Float32Array.from(row));
  return {
    ...(derivatives.logProb === undefined ? {} : { logProb: toFloat32(derivatives.logProb) }),
    ...(derivatives.entropy === undefined ? {} : { entropy: toFloat32(derivatives.entropy) }),
  };
}
