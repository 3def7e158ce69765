/** What one turn did, as rewards read it: calls, their results, and whether it could be read at all. */
import type { ToolCall, ToolResult } from "@waggle/protocol";

export type TurnRecord = {
  readonly toolCalls: readonly ToolCall[];
  /** One per call, and one for a turn that could not be read. */
  readonly toolResults: readonly ToolResult[];
  /** Set where the sampled text held a call that could not be read. */
  readonly parseError: string | null;
};
