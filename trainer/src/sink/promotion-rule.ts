/** The publisher's own comparison of two versions at frozen tasks, applied beside the edge's gate. */
import { fallRefusal, pairedDifference, readabilityRefusal } from "@waggle/evaluation";
import type { FrozenOutcomes } from "../evaluation/frozen-tasks.ts";
import type { PromotionDecision } from "../metrics/reporter.ts";

/**
 * Whether a candidate with these results may replace a version with those. Called with success of the
 * stable version and of the best one so far, so that many small falls cannot add up.
 */
export type MayPromote = (candidate: readonly boolean[], earlier: readonly boolean[]) => boolean;

/** Paired p-value below which a fall counts as real. */
const SIGNIFICANCE = 0.05;

/** @param margin - largest drop of the success rate, in [0, 1], that is attributed to noise */
export function promotionRule(margin: number): MayPromote {
  return (candidate, earlier) =>
    fallRefusal(pairedDifference(earlier, candidate), { margin, significance: SIGNIFICANCE }) ===
    null;
}

/**
 * The decision before retention tasks and probes.
 *
 * @param best - success of the best version so far.
 * @param refusal - of the edge's gate; `null` if it lets the candidate pass.
 */
export function decisionOnTasks(
  mayPromote: MayPromote,
  candidate: FrozenOutcomes,
  stable: FrozenOutcomes,
  best: readonly boolean[],
  refusal: string | null,
): PromotionDecision {
  if (count(candidate.successes) === 0 && count(stable.successes) === 0) {
    return { verdict: "undecided", reason: "neither version solved any task" };
  }
  const no = (reason: string): PromotionDecision => ({ verdict: "roll-back", reason });
  if (refusal !== null) return no(refusal);
  if (!mayPromote(candidate.successes, stable.successes))
    return no("it fell below the stable version");
  if (!mayPromote(candidate.successes, best)) return no("it fell below the best version so far");
  const readable = pairedDifference(stable.readable, candidate.readable);
  const success = pairedDifference(stable.successes, candidate.successes);
  if (readabilityRefusal(readable, success) !== null) {
    return no(
      `its output was readable on ${count(candidate.readable)} tasks, the stable version's on ${count(stable.readable)}`,
    );
  }
  return { verdict: "promote", reason: "" };
}

/** How many are true. */
export function count(successes: readonly boolean[]): number {
  return successes.filter(Boolean).length;
}
