/**
 * The main line of a trajectory, divided at its turns: what a row contains, in tokens. Rows are compared with these
 * tokens.
 */
import { pathTo, type Segment, type Trajectory, type TrajectoryDetail } from "@waggle/protocol";
import type { Conversation } from "./conversation.ts";

/** A record with the path to its last sampled segment. */
export type RecordedPath = {
  readonly record: TrajectoryDetail;
  readonly path: readonly Segment[];
  /** From the verifier, or else from the visitor's thumb. */
  readonly label: boolean | null;
  /** `null` if the prompt cannot be separated from the template's text. */
  readonly conversation: Conversation | null;
};

/** The turns of a row: `from` is the first turn of its completion, `until` comes after the last one. */
export type RowTurns = {
  readonly recorded: RecordedPath;
  readonly from: number;
  readonly until: number;
};

/** The path to the last sampled segment; empty if nothing was sampled. */
export function mainLine(trajectory: Trajectory): readonly Segment[] {
  const last = trajectory.segments.findLast(({ kind }) => kind === "sampled");
  return last === undefined ? [] : pathTo(trajectory, last.id);
}

/** Whether a segment is an assistant turn, of this request or an earlier one. */
export function isTurn(segment: Segment): boolean {
  return segment.kind === "sampled" || segment.role === "assistant";
}

/** The verifier's verdict, or else the visitor's last thumb, or else `null`. */
export function labelOf({ row, feedback }: TrajectoryDetail): boolean | null {
  if (row.success !== null) return row.success;
  const thumb = feedback.findLast(({ kind }) => kind === "thumb-up" || kind === "thumb-down");
  return thumb === undefined ? null : thumb.kind === "thumb-up";
}

/** Positions of the turns in a path. */
function turnPositions(path: readonly Segment[]): number[] {
  return path.flatMap((segment, i) => (isTurn(segment) ? [i] : []));
}

/** All turns of a path. Turns of earlier requests are before `from`. */
export function allTurns(recorded: RecordedPath): RowTurns {
  const positions = turnPositions(recorded.path);
  const from = positions.findIndex((at) => recorded.path[at]?.kind === "sampled");
  return { recorded, from, until: positions.length };
}

/** Segments before turn `index`. */
export function segmentsBefore({ path }: RecordedPath, index: number): readonly Segment[] {
  return path.slice(0, turnPositions(path)[index]);
}

/** Segments of a row's prompt, and those that follow, up to its last turn. */
export function segmentsOf({ recorded, from, until }: RowTurns): {
  readonly prompt: readonly Segment[];
  readonly completion: readonly Segment[];
} {
  const prompt = segmentsBefore(recorded, from);
  const end = (turnPositions(recorded.path)[until - 1] as number) + 1;
  return { prompt, completion: recorded.path.slice(prompt.length, end) };
}

export function tokensOf(
  segments: readonly { readonly tokenIds: readonly number[] }[],
): readonly number[] {
  return segments.flatMap(({ tokenIds }) => [...tokenIds]);
}

export function isSameTokens(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}
