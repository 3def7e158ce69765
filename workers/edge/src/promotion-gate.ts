/** The promotion gate: the edge does not serve a version on the trainer's word alone. */
import { gateRefusal, probeRefusal, retentionRefusal } from "@waggle/evaluation";
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
  };
}

/**
 * Recomputes the decision from the counts of an evaluation.
 * @throws WaggleError `GATE_NOT_PASSED`, or `PUBLICATION_STALE` if it was compared with another version
 */
export function requirePassed(
  evaluation: EvaluationResult | null,
  stable: number,
  gate: PromotionGate,
): void {
  const refusal = refusalOf(evaluation, gate);
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

function refusalOf(evaluation: EvaluationResult | null, gate: PromotionGate): string | null {
  if (evaluation === null) return "it has no evaluation";
  const { tasks, successes, stableSuccesses, gained, lost } = evaluation;
  if (stableSuccesses === undefined || gained === undefined || lost === undefined) {
    return "its evaluation was not paired with the stable version";
  }
  const counts = { tasks, successes, stableSuccesses, gained, lost };
  return (
    gateRefusal(counts, gate) ??
    retentionRefusal(evaluation.retention, gate) ??
    probeRefusal(evaluation.probes, gate)
  );
}
