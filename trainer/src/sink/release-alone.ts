/**
 * Decides about a candidate of a site without an environment: there are no tasks, so the trainer measures nothing, and visitors
 * of a release decide. The limits of its drift hold before: a step beyond one is undone.
 */
import type { EvaluationResult, PromotionGate } from "@waggle/protocol";
import type { TrainerState } from "../checkpoint/trainer-state.ts";
import type { PromotionDecision } from "../metrics/reporter.ts";

/** Publishes to a release only. Without one, training goes on and nothing is published. */
export async function decidedWithoutTasks(
  { stableVersion: comparedWith }: Pick<TrainerState, "stableVersion">,
  { hasRelease = false }: PromotionGate,
): Promise<{
  readonly decision: PromotionDecision;
  readonly evaluation: EvaluationResult;
  readonly kept: Pick<TrainerState, "evaluations" | "answers">;
}> {
  return {
    evaluation: { tasks: 0, successes: 0, comparedWith },
    decision: hasRelease
      ? { verdict: "promote", reason: "" }
      : { verdict: "undecided", reason: "the site has no environment and no release" },
    kept: { evaluations: {}, answers: {} },
  };
}
