/**
 * Decides about a candidate of a site without an environment. There are no tasks. The candidate's answers to held-out requests
 * of visitors must be as readable as the stable version's. If a judge compares them, it must not find them worse. Visitors of
 * a release decide then. The limits of drift hold before: a step beyond one is undone.
 */
import {
  comparisonRefusal,
  fallRefusal,
  pairedDifference,
  readabilityRefusal,
} from "@waggle/evaluation";
import type { EvaluationResult, PromotionGate } from "@waggle/protocol";
import type { TrainerState } from "../checkpoint/trainer-state.ts";
import type { PromotionDecision } from "../metrics/reporter.ts";
import { count } from "./promotion-rule.ts";
import type { ComparedAnswers } from "./request-comparison.ts";

/** With fewer requests, one unreadable answer more could refuse a candidate. */
const LEAST_READ = 20;

/** With this margin only significance decides. */
const ANY_FALL = { margin: 1, significance: 0.05 };

/** @param answers - absent: the trainer compares no answers. */
export function decidedWithoutTasks(
  { stableVersion: comparedWith }: Pick<TrainerState, "stableVersion">,
  gate: PromotionGate,
  answers: ComparedAnswers | undefined,
): {
  readonly decision: PromotionDecision;
  readonly evaluation: EvaluationResult;
  readonly kept: Pick<TrainerState, "evaluations" | "answers" | "heldOut">;
} {
  const comparison = answers?.comparison;
  return {
    evaluation: { tasks: 0, successes: 0, comparedWith, ...(comparison && { comparison }) },
    decision:
      (answers && (unreadable(answers) ?? unconvincing(answers, gate))) ??
      (gate.hasRelease === true || comparison !== undefined
        ? { verdict: "promote", reason: "" }
        : { verdict: "undecided", reason: "the site has no environment and no release" }),
    kept: { evaluations: {}, answers: {}, heldOut: answers?.heldOut },
  };
}

/** The decision against a candidate whose answers can be read less often; `null` if they can. */
function unreadable({ readable, stableReadable }: ComparedAnswers): PromotionDecision | null {
  if (readable.length < LEAST_READ) return null;
  const difference = pairedDifference(stableReadable, readable);
  if (readabilityRefusal(difference, { gained: 0, lost: 0 }) === null) return null;
  return {
    verdict: "roll-back",
    reason: `its answers to ${count(readable)} of ${readable.length} requests could be read, the stable version's to ${count(stableReadable)}`,
  };
}

/**
 * The decision against a candidate that the judge does not let pass; `null` if it does, or if there is no judge. Only worse
 * answers undo what was learned.
 */
function unconvincing(
  { comparison, turned }: ComparedAnswers,
  gate: PromotionGate,
): PromotionDecision | null {
  if (comparison === undefined) return null;
  const { requests, better, worse } = comparison;
  const undecided = (reason: string): PromotionDecision => ({ verdict: "undecided", reason });
  if (requests < gate.minTasks) {
    return undecided(
      `${requests} requests of visitors can be compared so far; the gate needs at least ${gate.minTasks} verdicts`,
    );
  }
  const steady = { tasks: requests, gained: turned, lost: better + worse };
  if (turned > 0 && fallRefusal(steady, ANY_FALL) === null) {
    return undecided(
      `the judge preferred the same answer in both orders at ${better + worse} requests and another one at ${turned}, so its verdicts say nothing`,
    );
  }
  const refusal = comparisonRefusal(comparison, gate);
  if (refusal === null) return null;
  // If the stable version's answers would pass in place of the candidate's, there are enough verdicts, and they are against it.
  const turnedRound = { ...comparison, better: worse, worse: better };
  return comparisonRefusal(turnedRound, gate) === null
    ? { verdict: "roll-back", reason: refusal }
    : undecided(refusal);
}
