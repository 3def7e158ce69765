/** One turn as rewards read it: calls, their results, and whether it parsed. */
import type { ToolCall, ToolResult } from "@waggle/protocol";

/** Calls and results of one turn. */
export type TurnRecord = {
  readonly toolCalls: readonly ToolCall[];
  /** One per call, and one for a turn that did not parse. */
  readonly toolResults: readonly ToolResult[];
  /** Set if the sampled text contained an unreadable call. */
  readonly parseError: string | null;
};
