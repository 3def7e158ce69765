/**
 * A correction for off-policy data: one detached weight per token, 0 for a dropped one. Corrections multiply.
 * They do not change denominators, so dropped tokens still count (as in AReaL) and masking does not inflate
 * the gradient of the rest.
 */
import { type LossMask, type TokenRows, zeroRows } from "../token-rows.ts";

/** Proximal and behavior log-probs; all `[B][T]`. */
export type CorrectionBatch = {
  readonly lossMask: LossMask;
  readonly proximalLogProbs: TokenRows;
  readonly behaviorLogProbs: TokenRows;
};

/** Token weights of a correction, with metrics. */
export type Correction = {
  /** `[B][T]`, detached; 0 outside the mask. */
  readonly weights: readonly Float64Array[];
  /** Over the given tokens; not additive over microbatches. */
  readonly metrics: { readonly [name: string]: number };
};

/** A correction that keeps or drops whole sequences. */
export function keptSequences(
  lossMask: LossMask,
  isKept: readonly boolean[],
  metric: string,
): Correction {
  const present = lossMask.flatMap((row, b) => (row.includes(true) ? [isKept[b] === true] : []));
  return {
    weights: lossMask.map((row, b) =>
      Float64Array.from(row, (kept) => (kept && isKept[b] === true ? 1 : 0)),
    ),
    metrics: { [metric]: shareOf(present) },
  };
}

/** A correction that keeps or drops single tokens. */
export function keptTokens(
  lossMask: LossMask,
  isKept: (b: number, t: number) => boolean,
  metric: string,
): Correction {
  const weights = zeroRows(lossMask);
  const present: boolean[] = [];
  for (const [b, row] of lossMask.entries()) {
    for (const [t, kept] of row.entries()) {
      if (!kept) continue;
      const stays = isKept(b, t);
      present.push(stays);
      (weights[b] as Float64Array)[t] = stays ? 1 : 0;
    }
  }
  return { weights, metrics: { [metric]: shareOf(present) } };
}

function shareOf(kept: readonly boolean[]): number {
  return kept.length === 0 ? 1 : kept.filter(Boolean).length / kept.length;
}
