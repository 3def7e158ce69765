/** The promotion gate: the edge does not serve a version on the trainer's word alone. */
import { comparisonRefusal, gateRefusal, probeRefusal, retentionRefusal } from "@waggle/evaluation";
import { type EvaluationResult, type PromotionGate, WaggleError } from "@waggle/protocol";
import type { Settings } from "./settings.ts";

/** The gate's thresholds from the settings. */
export function promotionGateOf(settings: Settings): PromotionGate {
  return {
    minTasks: settings.GATE_MIN_TASKS,
    margin: settings.GATE_MARGIN,
    significance: settings.GATE_SIGNIFICANCE,
    retentionTasks: settings.GATE_RETENTION_TASKS,
    retentionMargin: settings.GATE_RETENTION_MARGIN,
    probeTasks: settings.GATE_PROBE_TASKS,
    hasEnvironment: settings.TASK_ENVIRONMENT !== "",
    hasRelease: settings.GATE_RELEASE !== null,
  };
}

/**
 * Recomputes the decision from the counts of an evaluation.
 *
 * @param isReleased - whether visitors of a release decide about this version, or have decided. A version of a site without
 *   an environment then needs no comparison.
 * @throws WaggleError `GATE_NOT_PASSED`, or `PUBLICATION_STALE` if it was compared with another version
 */
export function requirePassed(
  evaluation: EvaluationResult | null,
  stable: number,
  gate: PromotionGate,
  isReleased: boolean,
): void {
  const refusal = refusalOf(evaluation, gate, isReleased);
  if (refusal !== null) {
    throw new WaggleError("GATE_NOT_PASSED", `this version did not pass the gate: ${refusal}`);
  }
  if (evaluation?.comparedWith !== stable) {
    throw new WaggleError(
      "PUBLICATION_STALE",
      `this version was compared with version ${evaluation?.comparedWith}, but version ${stable} is stable now; evaluate it again`,
    );
  }
}

function refusalOf(
  evaluation: EvaluationResult | null,
  gate: PromotionGate,
  isReleased: boolean,
): string | null {
  if (evaluation === null) return "it has no evaluation";
  return (
    comparedRefusal(evaluation, gate, isReleased) ??
    retentionRefusal(evaluation.retention, gate) ??
    probeRefusal(evaluation.probes, gate)
  );
}

/** The part of the gate that compares with the stable version: at tasks, or at requests where a site has no tasks. */
function comparedRefusal(
  { tasks, successes, stableSuccesses, gained, lost, comparison }: EvaluationResult,
  gate: PromotionGate,
  isReleased: boolean,
): string | null {
  if (stableSuccesses !== undefined && gained !== undefined && lost !== undefined) {
    return gateRefusal({ tasks, successes, stableSuccesses, gained, lost }, gate);
  }
  if (gate.hasEnvironment !== false) return "its evaluation was not paired with the stable version";
  if (comparison !== undefined) return comparisonRefusal(comparison, gate);
  return isReleased
    ? null
    : "the site has no environment, no judge compared its answers with the stable version's, and no release lets visitors decide";
}
