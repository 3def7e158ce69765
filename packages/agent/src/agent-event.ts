/** Events that a page can show while an agent works. Listeners observe; they cannot influence the loop. */
import type { SampledSegment, ToolCall, ToolResult, Trajectory } from "@waggle/protocol";

/** `turn` counts from 0 within a trajectory. Calls and results appear in redacted form. */
export type AgentEvent =
  | { readonly type: "turn-start"; readonly turn: number }
  | {
      readonly type: "token-delta";
      readonly turn: number;
      /** Whole characters, never empty. */
      readonly text: string;
      /** Whether the text belongs to a tool call, including its tags, or is outside of calls. */
      readonly part: "text" | "tool-call";
    }
  | { readonly type: "tool-call"; readonly turn: number; readonly call: ToolCall }
  | {
      readonly type: "tool-result";
      readonly turn: number;
      /** `null` if the result answers a call that could not be parsed. */
      readonly call: ToolCall | null;
      readonly result: ToolResult;
    }
  | {
      readonly type: "turn-end";
      readonly turn: number;
      /** The text outside calls and reasoning. */
      readonly text: string;
      readonly parseError: string | null;
      readonly stopReason: SampledSegment["stopReason"];
    }
  | { readonly type: "trajectory-end"; readonly trajectory: Trajectory };
