/**
 * A rollout that ends with a failed tool. A page can claim such a failure to hide a bad rollout. Tools of the
 * page run in the environment too, so a failure that they cannot have counts as a failure of the policy. A tool of the
 * edge can fail for reasons that no replay shows, and such a rollout is excused.
 */
import type { Environment, Trajectory, Turn } from "@waggle/protocol";

/** Failures of a tool's surroundings, not of the policy. The turns after them cannot be judged. */
const OUTSIDE: ReadonlySet<string> = new Set([
  "TOOL_UNAVAILABLE",
  "TIMEOUT",
  "NETWORK",
  "UNAUTHENTICATED",
  "FORBIDDEN",
]);

/** A claimed failure: excused, or the rollout up to the turn with the failed calls. */
export type ClaimedFailure =
  | { readonly isExcused: true }
  | { readonly isExcused: false; readonly judged: Trajectory };

/**
 * The first claimed failure of a tool's surroundings; `null` if the rollout has none.
 * @param fresh - creates the task's environment, which says where tools run.
 */
export async function claimedFailure(
  trajectory: Trajectory,
  fresh: () => Environment,
): Promise<ClaimedFailure | null> {
  const { turns, segments, stopReason } = trajectory;
  const isLast = (i: number): boolean => stopReason === "tool-error" && i === turns.length - 1;
  const at = turns.findIndex((turn, i) => isLast(i) || brokenIds(turn).size > 0);
  const turn = turns[at];
  if (turn === undefined) return stopReason === "tool-error" ? { isExcused: true } : null;
  const { tools } = await fresh().observe();
  const ofEdge = new Set(tools.filter(({ source }) => source !== "page").map(({ name }) => name));
  const ids = brokenIds(turn);
  // At the end of a rollout that a tool stopped, no call has a result. Results of other calls excuse nothing.
  const calls = turn.toolCalls.filter(({ id }) => isLast(at) || ids.has(id));
  const hasNoCall = isLast(at) && turn.toolCalls.length === 0;
  if (hasNoCall || calls.some(({ name }) => ofEdge.has(name))) return { isExcused: true };
  const end = segments.findIndex(({ id }) => id === turn.segmentId);
  const judged: Trajectory = {
    ...trajectory,
    segments: segments.slice(0, end + 1),
    turns: turns.slice(0, at + 1),
    // Not an outside cause, for which a critic's value would stand in.
    stopReason: "max-turns",
    terminated: false,
    truncated: true,
  };
  return { isExcused: false, judged };
}

/** The rollout with the results that the replay had, in place of the claimed ones, and completed if the call ended its task. */
export function withReplayedResults(judged: Trajectory, again: Trajectory): Trajectory {
  const last = judged.turns.length - 1;
  const isCompleted = again.stopReason === "completed";
  return {
    ...judged,
    ...(isCompleted ? { stopReason: "completed", terminated: true, truncated: false } : {}),
    turns: judged.turns.map((turn, i) =>
      i === last ? { ...turn, toolResults: again.turns[i]?.toolResults ?? [] } : turn,
    ),
  };
}

/** Ids of the calls that are said to have failed because of their surroundings. */
function brokenIds({ toolResults }: Turn): Set<string> {
  return new Set(
    toolResults.flatMap((result) =>
      !result.ok && OUTSIDE.has(result.error.code) ? [result.callId] : [],
    ),
  );
}
