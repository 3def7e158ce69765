/**
 * A record whose last answer is the one that the visitor or the site's staff wrote: a demonstration. Earlier turns become
 * context, because nothing was said about them.
 */
import type { JudgedGroup } from "@waggle/learning";
import { toJudgedTrajectory } from "@waggle/learning";
import type { Segment, Trajectory, Verification } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";

/**
 * @returns a record with 0 for the log-probs of the new tokens, which nobody sampled; `null` if the last turn is no plain
 *   answer.
 */
export function withEditedAnswer(
  record: Trajectory,
  text: string,
  format: Pick<ChatFormat, "encodeAssistant">,
): Trajectory | null {
  const last = record.turns.at(-1);
  const answer = record.segments.at(-1);
  if (last === undefined || answer?.kind !== "sampled" || answer.id !== last.segmentId) return null;
  if (last.toolCalls.length > 0) return null;
  const tokenIds = format.encodeAssistant(text);
  const zeros = tokenIds.map(() => 0);
  const { id, parent, policyVersion, sampling } = answer;
  const edited: Segment = {
    kind: "sampled",
    id,
    parent,
    policyVersion,
    sampling: { ...sampling, topK: 0, topP: 1 },
    grammar: null,
    tokenIds,
    behaviorLogProbs: zeros,
    rawLogProbs: zeros,
    entropies: zeros,
    stopReason: "stop-token",
  };
  return {
    ...record,
    segments: [...record.segments.slice(0, -1).map(asGiven), edited],
    turns: [{ ...last, parseError: null }],
  };
}

function asGiven(segment: Segment): Segment {
  if (segment.kind === "given") return segment;
  const { id, parent, tokenIds } = segment;
  return { kind: "given", id, parent, role: "assistant", tokenIds };
}

/** The answer that a verdict wants, as the staff wrote it or else the visitor; `null` for a verdict about the given one. */
export function wantedAnswer({ parts: { staff, edit } }: Verification): string | null {
  if (typeof staff === "string") return staff;
  return typeof edit === "string" ? edit : null;
}

/** The groups with each answer as its visitor or the staff wrote it, where they did. */
export function withEditedAnswers(
  groups: readonly JudgedGroup[],
  format: Pick<ChatFormat, "encodeAssistant">,
): JudgedGroup[] {
  return groups.map(({ task, trajectories }) => ({
    task,
    trajectories: trajectories.map((trajectory) => {
      const wanted = wantedAnswer(trajectory.verification);
      if (wanted === null) return trajectory;
      const record = withEditedAnswer(trajectory.record, wanted, format);
      return record === null ? trajectory : toJudgedTrajectory(record, trajectory.verification);
    }),
  }));
}
