/** Tools that the Worker serves over MCP. A site's code is passed to `createWorker`, so no site is named here. */
import { createToolRunner, type EdgeTool } from "@waggle/agent/tools";
import { type ToolError, type ToolResult, WaggleError } from "@waggle/protocol";

/** The code of a site: what it adds to the Worker. */
export type SiteCode = {
  /** Id of the site that has these tools. Other sites have them if their `EDGE_TOOLS` name this id. */
  readonly id: string;
  /** The result of `defineEdgeTools`. */
  readonly tools: readonly EdgeTool[];
};

/** @throws WaggleError `INTERNAL` if the Worker lacks the code of a named site */
export function requireBundled(code: readonly SiteCode[], names: readonly string[]): void {
  const missing = names.find((name) => code.every(({ id }) => id !== name));
  if (missing === undefined) return;
  throw new WaggleError(
    "INTERNAL",
    `EDGE_TOOLS names ${missing}, which is not among the sites whose code this Worker has; ` +
      "pass that site to createWorker, or remove the name",
  );
}

/** The tools of a site: its own, then those of the sites that its settings name. */
export function servedTools(
  code: readonly SiteCode[],
  site: string,
  names: readonly string[],
): readonly EdgeTool[] {
  requireBundled(code, names);
  const ids = [...new Set([site, ...names])];
  return ids.flatMap((id) => code.find((each) => each.id === id)?.tools ?? []);
}

/** Runs a tool. @returns its value or its error. @throws WaggleError `UNKNOWN_TOOL` */
export async function runServedTool(
  tools: readonly EdgeTool[],
  name: string,
  args: { readonly [key: string]: unknown },
  signal: AbortSignal,
): Promise<ToolResult> {
  const tool = tools.find(({ definition }) => definition.name === name);
  if (tool === undefined) throw new WaggleError("UNKNOWN_TOOL", "no such tool");
  const callId = "call";
  if (tool.isPure !== true) {
    return createToolRunner({ tools: [tool] })({ id: callId, name, arguments: args }, signal);
  }
  try {
    return { callId, ok: true, value: await tool.run(args, signal) };
  } catch (error) {
    return { callId, ok: false, error: errorOf(error) };
  }
}

function errorOf(error: unknown): ToolError {
  const code = WaggleError.is(error) ? error.code : "TOOL_FAILED";
  return {
    code,
    message: error instanceof Error ? error.message.slice(0, 500) : "the tool failed",
  };
}
