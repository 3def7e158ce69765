/**
 * Tools of a simulated environment: a schema and a function on the environment's state. Arguments are checked before
 * anything runs; what a policy gets wrong is a typed failure that it reads.
 */
import { WaggleError } from "@waggle/protocol";
import type {
  JsonSchema,
  ToolCall,
  ToolDefinition,
  ToolResult,
  ToolSource,
} from "@waggle/protocol";
import { z } from "zod";

export type ToolArguments = { readonly [key: string]: unknown };

export type RunnableTool<A, C> = {
  readonly description: string;
  readonly schema: z.ZodType<A>;
  readonly run: (args: A, context: C) => unknown;
};

/** Ties the type of the arguments to the schema, then forgets it. */
export function tool<A, C>(runner: RunnableTool<A, C>): RunnableTool<unknown, C> {
  return { ...runner, run: (args, context) => runner.run(args as A, context) };
}

/** By name. */
export type RunnableTools<C> = { readonly [name: string]: RunnableTool<unknown, C> };

/** What a policy is shown of them. */
export function definitionsOf<C>(tools: RunnableTools<C>, source: ToolSource): ToolDefinition[] {
  return Object.entries(tools).map(([name, { description, schema }]) => {
    const { $schema: _, ...parameters } = z.toJSONSchema(schema);
    return { name, description, parameters: parameters as JsonSchema, source };
  });
}

/**
 * Runs one by name. @returns a JSON value.
 * @throws WaggleError `UNKNOWN_TOOL`, `INVALID_TOOL_ARGUMENTS` or `TOOL_FAILED`.
 */
export function runTool<C>(
  tools: RunnableTools<C>,
  name: string,
  args: ToolArguments,
  context: C,
): unknown {
  const runner = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (!runner) throw new WaggleError("UNKNOWN_TOOL", "no such tool");
  const parsed = runner.schema.safeParse(args);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue?.path.join(".") || "arguments";
    throw new WaggleError(
      "INVALID_TOOL_ARGUMENTS",
      `${where}: ${issue?.message ?? "invalid"}`.slice(0, 200),
    );
  }
  return runner.run(parsed.data, context);
}

/** A failure's message has at most so many characters: it is read by a policy. */
const MESSAGE_CHARACTERS = 500;

/**
 * What a call came to: the value of `run`, or its typed failure as an observation, since a policy's mistake
 * and a broken edge are both things to read. What is no `WaggleError` is a bug here and is thrown on.
 */
export async function toolResult(
  { id: callId }: ToolCall,
  run: () => unknown,
): Promise<ToolResult> {
  try {
    return { callId, ok: true, value: await run() };
  } catch (error) {
    if (!WaggleError.is(error)) throw error;
    const { code, message } = error;
    return { callId, ok: false, error: { code, message: message.slice(0, MESSAGE_CHARACTERS) } };
  }
}
