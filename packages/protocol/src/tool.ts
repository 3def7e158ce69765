/** Tool definitions, the calls that a policy makes and the results it reads. */
import { z } from "zod";
import type { WaggleErrorCode } from "./errors.ts";

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

/** A call parsed from sampled text. */
export type ToolCall = {
  /** Unique in the trajectory: `c0`, `c1`, … */
  readonly id: string;
  readonly name: string;
  readonly arguments: { readonly [key: string]: unknown };
};

export const ToolCall: z.ZodType<ToolCall> = z.strictObject({
  id: z.string().min(1).max(32),
  name: z.string().max(128),
  arguments: z.record(z.string().max(128), z.json()),
});

/** Why a call failed. */
export type ToolError = { readonly code: WaggleErrorCode; readonly message: string };

/** Result of a call. A failed call is data that the model sees. */
export type ToolResult =
  | { readonly callId: string; readonly ok: true; readonly value: unknown }
  | { readonly callId: string; readonly ok: false; readonly error: ToolError };

export const ToolResult: z.ZodType<ToolResult> = z.union([
  z.strictObject({ callId: z.string().min(1).max(32), ok: z.literal(true), value: z.json() }),
  z.strictObject({
    callId: z.string().min(1).max(32),
    ok: z.literal(false),
    error: z.strictObject({
      code: z.string().max(64) as unknown as z.ZodType<WaggleErrorCode>,
      message: z.string().max(2000),
    }),
  }),
]) as z.ZodType<ToolResult>;

/** A tool that can be run. It may throw plain errors; the rollout converts them to `ToolError`s. */
export interface Tool {
  readonly definition: ToolDefinition;
  /** @returns a JSON value. Must honor `signal`. */
  run(args: { readonly [key: string]: unknown }, signal: AbortSignal): Promise<unknown>;
}
