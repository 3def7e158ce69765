/** Records of sites that collect statistics only: counts, times, tool names and reasons, without tokens and without text. */
import { canonicalJson } from "../digest.ts";
import type { ToolCall, ToolResult } from "../tool.ts";
import type { SampledSegment, Segment, Trajectory, Turn } from "../trajectory.ts";

/**
 * The statistics of a trajectory, in the same form. It has the same turns, times, versions and reasons. All tokens, log-probs,
 * arguments, results and messages are left out, and so are given segments, because only their tokens said anything.
 */
export function toStatistics(trajectory: Trajectory): Trajectory {
  const { grammars: _, segments, turns, ...head } = trajectory;
  const sampled = segments.filter((segment) => segment.kind === "sampled");
  const ids = new Map(sampled.map(({ id }, i) => [id, `s${i}`]));
  const kept: Segment[] = sampled.map(emptySegment);
  const empty: Segment = { kind: "given", id: "s0", parent: null, role: "user", tokenIds: [] };
  return {
    ...head,
    segments: kept.length === 0 ? [empty] : kept,
    turns: turns.map((turn) => emptyTurn(turn, ids)),
  };
}

/** Whether a trajectory says no more than its statistics. */
export function isStatistics(trajectory: Trajectory): boolean {
  return canonicalJson(trajectory) === canonicalJson(toStatistics(trajectory));
}

function emptySegment(segment: SampledSegment, index: number): SampledSegment {
  return {
    kind: "sampled",
    id: `s${index}`,
    parent: index === 0 ? null : `s${index - 1}`,
    policyVersion: segment.policyVersion,
    sampling: segment.sampling,
    grammar: null,
    tokenIds: [],
    behaviorLogProbs: [],
    rawLogProbs: [],
    entropies: [],
    stopReason: segment.stopReason,
  };
}

function emptyTurn(turn: Turn, ids: ReadonlyMap<string, string>): Turn {
  const results = new Map(turn.toolResults.map((result) => [result.callId, result]));
  const callIds = new Map(turn.toolCalls.map(({ id }, i) => [id, `c${i}`]));
  return {
    segmentId: ids.get(turn.segmentId) ?? "s0",
    toolCalls: turn.toolCalls.map((call, i) => emptyCall(call, i, results.get(call.id))),
    toolResults: turn.toolResults.flatMap((result) => {
      const callId = callIds.get(result.callId);
      return callId === undefined ? [] : [emptyResult(result, callId)];
    }),
    parseError: turn.parseError === null ? null : "",
  };
}

/** In place of a name that the policy invented, which can be any text. */
const UNKNOWN = "unknown";

function emptyCall({ name }: ToolCall, index: number, result: ToolResult | undefined): ToolCall {
  const isTool =
    result !== undefined &&
    (result.ok || result.error.code !== "UNKNOWN_TOOL") &&
    /^[\w-]{1,64}$/.test(name);
  return { id: `c${index}`, name: isTool ? name : UNKNOWN, arguments: {} };
}

function emptyResult(result: ToolResult, callId: string): ToolResult {
  if (result.ok) return { callId, ok: true, value: null };
  const code = /^[A-Z_]{1,64}$/.test(result.error.code) ? result.error.code : "TOOL_FAILED";
  return { callId, ok: false, error: { code, message: "" } };
}
