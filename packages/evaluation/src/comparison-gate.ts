/**
 * Decides whether a candidate of a site without an environment may replace the stable version: a judge compared what both
 * answer to the same requests of visitors. Trainer and edge compute it from the same numbers. It knows no judge.
 *
 * An abstention is no verdict. So a judge that abstains on everything, or that prefers nothing, lets nothing pass.
 */
import { fallRefusal, type GateThresholds } from "./promotion-gate.ts";

/** Verdicts on two versions' answers to the same requests. */
type ComparisonCounts = {
  /** Requests that both versions were asked. */
  readonly requests: number;
  /** Requests with a verdict: one of the answers is better, or they are equally good. */
  readonly judged: number;
  /** Requests at which the candidate's answer is better. */
  readonly better: number;
  /** Requests at which the stable version's answer is better. */
  readonly worse: number;
};

/** Smallest share of the requests that need a verdict. */
const LEAST_JUDGED = 0.5;

/** Why the candidate may not be promoted, as a sentence; `null` if it may. A verdict counts as a task. */
export function comparisonRefusal(counts: ComparisonCounts, gate: GateThresholds): string | null {
  const { requests, judged, better, worse } = counts;
  if (judged > requests || better + worse > judged) {
    return "the counts of the comparison contradict each other";
  }
  if (judged < gate.minTasks) {
    return `the answers to ${judged} requests were compared; the gate needs at least ${gate.minTasks}`;
  }
  if (judged < LEAST_JUDGED * requests) {
    return `only ${judged} of ${requests} requests have a verdict; the gate needs ${Math.ceil(LEAST_JUDGED * requests)}`;
  }
  if (better + worse === 0) {
    return `the judge preferred neither version at any of ${judged} requests, so they cannot be compared`;
  }
  const isWorse = fallRefusal({ tasks: judged, gained: better, lost: worse }, gate) !== null;
  return isWorse
    ? `its answers were better at ${better} and worse at ${worse} of ${judged} requests`
    : null;
}
