/** The probes of a publication: a candidate beside the base model on the frozen tasks of the gate. */
import {
  type AnswerReading,
  probeCounts,
  type ProbeCounts,
  probeRefusal,
} from "@waggle/evaluation";
import type { PromotionGate } from "@waggle/protocol";

/** What the probes say about a candidate. */
export type ProbeCheck = {
  /** Absent: the gate asks for no probes, or there were no answers to read. */
  readonly probes?: readonly ProbeCounts[];
  /** Why it may not be promoted; `null` if it may. */
  readonly refusal: string | null;
};

/** What the answers to the frozen tasks showed; absent if nobody read them. */
type Answers = { readonly answers?: readonly AnswerReading[] | undefined };

/**
 * @param candidate - its answers.
 * @param playBase - plays the same tasks with the base model; not called where the gate asks for no probes.
 */
export async function checkProbes(
  { answers }: Answers,
  playBase: () => Promise<Answers>,
  gate: PromotionGate,
): Promise<ProbeCheck> {
  // An edge of the previous release would reject an evaluation with probes.
  if ((gate.probeTasks ?? 0) === 0) return { refusal: null };
  const { answers: base } = await playBase();
  if (answers === undefined || base === undefined)
    return { refusal: probeRefusal(undefined, gate) };
  const probes = probeCounts(base, answers);
  return { probes, refusal: probeRefusal(probes, gate) };
}
