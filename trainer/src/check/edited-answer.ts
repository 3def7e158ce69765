/**
 * A record whose last answer is the one that the visitor or the site's staff wrote: a demonstration. Earlier turns become
 * context, because nothing was said about them.
 */
import type { JudgedGroup } from "@waggle/learning";
import { toJudgedTrajectory } from "@waggle/learning";
import type { PolicyVersionId, Segment, Trajectory, Verification } from "@waggle/protocol";
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
  const alone = withLastAnswerAlone(record);
  const answer = alone?.segments.at(-1);
  if (alone === null || answer?.kind !== "sampled") return null;
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
  return { ...alone, segments: [...alone.segments.slice(0, -1), edited] };
}

/** The record with its last answer as the only sampled tokens; `null` if the last turn is no plain answer. */
export function withLastAnswerAlone(record: Trajectory): Trajectory | null {
  const last = record.turns.at(-1);
  const answer = record.segments.at(-1);
  if (last === undefined || answer?.kind !== "sampled" || answer.id !== last.segmentId) return null;
  if (last.toolCalls.length > 0) return null;
  return {
    ...record,
    segments: [...record.segments.slice(0, -1).map(asGiven), answer],
    turns: [{ ...last, parseError: null }],
  };
}

/** The verdict on the answer that was given, beside the one that was wanted: the rejected side of a pair. */
export function rejection(verdict: Verification): Verification {
  return { ...verdict, reward: 0, success: false };
}

/**
 * The verdict on what the policy did. An answer that somebody replaced is no success, whatever else was said about it. Verdicts
 * of verifiers, which have no signals, stay as they are.
 */
export function givenVerdict(verdict: Verification): Verification {
  const isReplaced = verdict.signals !== undefined && wantedAnswer(verdict) !== null;
  return isReplaced ? rejection(verdict) : verdict;
}

/**
 * The record as if a version had sampled it, for log-probs under that version.
 *
 * @param version - of which the log-probs are wanted.
 */
export function atVersion(record: Trajectory, version: PolicyVersionId): Trajectory {
  const segments = record.segments.map((segment) =>
    segment.kind === "given" ? segment : { ...segment, policyVersion: version },
  );
  return { ...record, segments };
}

/** Id of the answer that was wanted, beside the given one with the id `id`. */
export function wantedId(id: string): string {
  return `${id}/wanted`;
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

/**
 * The groups with each answer as its visitor or the staff wrote it, where they did.
 *
 * @param makesPairs - keeps the answer that was given beside it, as the rejected side of a pair.
 */
export function withEditedAnswers(
  groups: readonly JudgedGroup[],
  format: Pick<ChatFormat, "encodeAssistant">,
  makesPairs: boolean,
): JudgedGroup[] {
  return groups.map(({ task, trajectories }) => ({
    task,
    trajectories: trajectories.flatMap((trajectory) => {
      const { record, verification } = trajectory;
      const wanted = wantedAnswer(verification);
      const edited = wanted === null ? null : withEditedAnswer(record, wanted, format);
      const given = withLastAnswerAlone(record);
      if (edited === null || given === null) return [trajectory];
      const chosen = toJudgedTrajectory(edited, verification);
      if (!makesPairs) return [chosen];
      return [
        { ...chosen, id: wantedId(chosen.id) },
        toJudgedTrajectory(given, rejection(verification)),
      ];
    }),
  }));
}
