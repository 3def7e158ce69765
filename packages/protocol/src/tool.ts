/** Tools as a policy sees them, calls as it makes them, results as it reads them. */
import { z } from "zod";
import type { WaggleErrorCode } from "./errors.ts";

/** A JSON Schema object; checked by whoever validates arguments. */
export type JsonSchema = { readonly [key: string]: unknown };

export type ToolSource = "page" | "edge";

export type ToolDefinition = {
  /** `[a-zA-Z0-9_-]{1,64}`, as MCP wants it. */
  readonly name: string;
  readonly description: string;
  /** Schema of the arguments object. */
  readonly parameters: JsonSchema;
  readonly source: ToolSource;
};

/** A call as parsed from sampled text. A call that did not parse has `invalid` and no name. */
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

export type ToolError = { readonly code: WaggleErrorCode; readonly message: string };

/** What a call gave. A failed call is data the model sees. */
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

/** A tool that can be run. It may throw plain errors; the loop types them. */
export interface Tool {
  readonly definition: ToolDefinition;
  /** @returns a JSON value. Must honour `signal`. */
  run(args: { readonly [key: string]: unknown }, signal: AbortSignal): Promise<unknown>;
}
