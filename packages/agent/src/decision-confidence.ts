/**
 * How sure a policy was of its decisions, from the log-probs that it recorded anyway. A page knows this number before it
 * runs a turn's calls, so it can ask instead of acting.
 *
 * A call is right only as a whole, and a grammar or a schema leaves few ways to write it. So the confidence of a turn with
 * calls is the probability of the whole turn: one doubtful token among many certain ones lowers it, where a mean over
 * tokens would hide it. An answer can be worded in many ways, so the confidence of a turn without calls is the geometric
 * mean of its tokens' probabilities. Both are at temperature 1 and before any mask: under greedy decoding every token
 * has probability 1, and a mask hides that the policy wanted something else.
 */
import type { SampledSegment, Trajectory } from "@waggle/protocol";

/** The lowest confidence of the turns, in [0, 1]; 0 if nothing was sampled. */
export function decisionConfidence({
  segments,
  turns,
}: Pick<Trajectory, "segments" | "turns">): number {
  const calling = new Set(
    turns.filter(({ toolCalls }) => toolCalls.length > 0).map(({ segmentId }) => segmentId),
  );
  const all = sampledOf(segments).map(({ id, rawLogProbs }) =>
    turnConfidence(rawLogProbs, calling.has(id)),
  );
  return all.length === 0 ? 0 : Math.min(...all);
}

/** The confidence of each turn, in [0, 1]. */
export function turnConfidences({
  segments,
  turns,
}: Pick<Trajectory, "segments" | "turns">): number[] {
  const byId = new Map(sampledOf(segments).map(({ id, rawLogProbs }) => [id, rawLogProbs]));
  return turns.map(({ segmentId, toolCalls }) =>
    turnConfidence(byId.get(segmentId) ?? [], toolCalls.length > 0),
  );
}

function sampledOf(segments: Trajectory["segments"]): SampledSegment[] {
  return segments.filter((segment): segment is SampledSegment => segment.kind === "sampled");
}

/**
 * The confidence of one turn, in [0, 1].
 * @param rawLogProbs - `[T]` of the turn's tokens, in nats.
 */
export function turnConfidence(rawLogProbs: readonly number[], hasCalls: boolean): number {
  const sum = rawLogProbs.reduce((total, one) => total + one, 0);
  return Math.exp(hasCalls ? sum : sum / Math.max(1, rawLogProbs.length));
}
