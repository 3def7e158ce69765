/**
 * The language-model loss on every token of a text, sampled or given: continued pre-training. The part `lm`.
 * Packed documents do not predict each other's first token.
 */
import type { LossPart } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import type { TokenRows } from "../../token-rows.ts";
import type { AggregationOption } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import { supervisedLoss } from "./supervised-loss.ts";

/**
 * Cross-entropy of every token that has a predecessor.
 *
 * @param documentStarts - per sequence, the positions at which a document begins. Default: only 0.
 */
export function languageModelLoss(
  policyLogProbs: TokenRows,
  documentStarts: readonly (readonly number[])[] = [],
  options: AggregationOption = {},
): LossResult {
  const lossMask = policyLogProbs.map((row, b) => {
    const starts = new Set([0, ...(documentStarts[b] ?? [])]);
    return Array.from({ length: row.length }, (_, t) => !starts.has(t));
  });
  return supervisedLoss({ lossMask, policyLogProbs }, options);
}

/** `lm`: cross-entropy of every token, including prompts and tool results. */
export function languageModel(): LossPart {
  return lossPart("lm", ({ policyLogProbs }) => languageModelLoss(policyLogProbs));
}
