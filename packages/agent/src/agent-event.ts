/** What a page can show while an agent works. Observations only: nothing here steers the loop. */
import type { SampledSegment, ToolCall, ToolResult, Trajectory } from "@waggle/protocol";

/** `turn` counts from 0 within the trajectory. Calls and results are in their redacted form. */
export type AgentEvent =
  | { readonly type: "turn-start"; readonly turn: number }
  | {
      readonly type: "token-delta";
      readonly turn: number;
      /** Whole characters, never empty. */
      readonly text: string;
      /** Where the text stands; tags belong to the call. */
      readonly part: "text" | "tool-call";
    }
  | { readonly type: "tool-call"; readonly turn: number; readonly call: ToolCall }
  | {
      readonly type: "tool-result";
      readonly turn: number;
      /** `null` where the result answers a call that could not be read. */
      readonly call: ToolCall | null;
      readonly result: ToolResult;
    }
  | {
      readonly type: "turn-end";
      readonly turn: number;
      /** What was said outside calls and thoughts. */
      readonly text: string;
      readonly parseError: string | null;
      readonly stopReason: SampledSegment["stopReason"];
    }
  | { readonly type: "trajectory-end"; readonly trajectory: Trajectory };
