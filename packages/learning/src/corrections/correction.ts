/**
 * What a correction for off-policy data is: one detached weight a token, 0 where it is left out. They
 * multiply; denominators are not theirs, so what is left out stays counted (as AReaL does) and masking
 * does not inflate the gradient of the rest.
 */
import { type LossMask, type TokenRows, zeroRows } from "../token-rows.ts";

/** What the trainer's policy said when the update began, and what the sampler said; all `[B][T]`. */
export type CorrectionBatch = {
  readonly lossMask: LossMask;
  readonly proximalLogProbs: TokenRows;
  readonly behaviorLogProbs: TokenRows;
};

export type Correction = {
  /** `[B][T]`, detached; 0 outside the mask. */
  readonly weights: readonly Float64Array[];
  /** Over the tokens given; not additive over microbatches. */
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
