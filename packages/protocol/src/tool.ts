/** Tool definitions, the calls that a policy makes and the results it reads. */
import { z } from "zod";
import { readOnly } from "./read-only-schema.ts";
import type { WaggleErrorCode } from "./errors.ts";
import type { ToolText } from "./tool-text.ts";

/** A JSON Schema object. */
export type JsonSchema = { readonly [key: string]: unknown };

/** Where a tool runs. */
export type ToolSource = "page" | "edge";

/** A tool as the policy sees it. */
export type ToolDefinition = {
  /** Must match `[a-zA-Z0-9_-]{1,64}`, as MCP requires. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments object. */
  readonly parameters: JsonSchema;
  readonly source: ToolSource;
};

/** Any JSON value. Typed `unknown`, because tools return values that were not parsed from JSON. */
const Json: z.ZodType<unknown> = z.json();

/** A call parsed from sampled text. */
export type ToolCall = z.infer<typeof ToolCall>;
export const ToolCall = readOnly(
  z.strictObject({
    /** Unique in the trajectory: `c0`, `c1`, … */
    id: z.string().min(1).max(32),
    name: z.string().max(128),
    arguments: z.record(z.string().max(128), Json),
  }),
);

/** Why a call failed. */
export type ToolError = z.infer<typeof ToolError>;
const ToolError = readOnly(
  z.strictObject({
    // Any text is accepted: a page may have a newer list of codes.
    code: z.string().max(64) as unknown as z.ZodType<WaggleErrorCode>,
    message: z.string().max(2000),
  }),
);

/** Result of a call. A failed call is data that the model sees. */
export type ToolResult = z.infer<typeof ToolResult>;
export const ToolResult = readOnly(
  z.union([
    z.strictObject({ callId: z.string().min(1).max(32), ok: z.literal(true), value: Json }),
    z.strictObject({
      callId: z.string().min(1).max(32),
      ok: z.literal(false),
      error: ToolError,
    }),
  ]),
);

/** A tool that can be run. It may throw plain errors; the rollout converts them to `ToolError`s. */
export interface Tool {
  readonly definition: ToolDefinition;
  /** Name for people. The policy does not read it. */
  readonly title?: ToolText;
  /** Time limit of one call in milliseconds; 0 = no limit. Absent = the environment's limit. */
  readonly timeoutMs?: number;
  /** Whether a call changes something that lasts, such as a cart. The policy does not read it. Default false. */
  readonly changes?: boolean;
  /**
   * Asks whether a call may run; the time limit begins after it. Absent = always. Must honor `signal`.
   * @param probability - how likely the call is right, from 0 to 1; `null` = unknown.
   */
  allows?(
    args: { readonly [key: string]: unknown },
    signal: AbortSignal,
    probability: number | null,
  ): Promise<boolean>;
  /** @returns a JSON value. Must honor `signal`. */
  run(args: { readonly [key: string]: unknown }, signal: AbortSignal): Promise<unknown>;
}
