/**
 * Tools of a simulated environment: a schema, and a function of the environment's state. Arguments are
 * validated first. A policy's mistake becomes a typed failure that the policy reads.
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

/** Arguments of a tool call, before validation. */
export type ToolArguments = { readonly [key: string]: unknown };

/** A tool with arguments of type `A` that runs on a state of type `C`. */
export type RunnableTool<A, C> = {
  readonly description: string;
  readonly schema: z.ZodType<A>;
  readonly run: (args: A, context: C) => unknown;
};

/** Checks that `run` accepts what the schema produces, then erases the type of the arguments. */
export function tool<A, C>(runner: RunnableTool<A, C>): RunnableTool<unknown, C> {
  return { ...runner, run: (args, context) => runner.run(args as A, context) };
}

/** Tools by name. */
export type RunnableTools<C> = { readonly [name: string]: RunnableTool<unknown, C> };

/** The definitions that a policy sees. */
export function definitionsOf<C>(tools: RunnableTools<C>, source: ToolSource): ToolDefinition[] {
  return Object.entries(tools).map(([name, { description, schema }]) => {
    const { $schema: _, ...parameters } = z.toJSONSchema(schema);
    return { name, description, parameters: parameters as JsonSchema, source };
  });
}

/**
 * Validates the arguments and runs a tool by name. @returns a JSON value.
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

/** Maximum length of a failure's message, which a policy reads. */
const MESSAGE_CHARACTERS = 500;

/**
 * The result of a call: the value of `run`, or its typed failure, because the policy should read its own
 * mistakes and an edge's failures alike. Other errors are bugs and are rethrown.
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
