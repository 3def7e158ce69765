/**
 * A record whose last answer is the one that the visitor wrote: a demonstration. Earlier turns become context, because the
 * visitor said nothing about them.
 */
import type { JudgedGroup } from "@waggle/learning";
import { toJudgedTrajectory } from "@waggle/learning";
import type { Segment, Trajectory } from "@waggle/protocol";
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

/** The groups with each answer as its visitor edited it, where the visitor did. */
export function withEditedAnswers(
  groups: readonly JudgedGroup[],
  format: Pick<ChatFormat, "encodeAssistant">,
): JudgedGroup[] {
  return groups.map(({ task, trajectories }) => ({
    task,
    trajectories: trajectories.map((trajectory) => {
      const { edit } = trajectory.verification.parts;
      if (typeof edit !== "string") return trajectory;
      const record = withEditedAnswer(trajectory.record, edit, format);
      return record === null ? trajectory : toJudgedTrajectory(record, trajectory.verification);
    }),
  }));
}
