/**
 * Runs calls of tools, each on its own. An unknown tool, invalid arguments, a throw, a timeout, a result that is
 * not JSON and one that is too long all become failed results.
 */
import { WaggleError } from "@waggle/protocol";
import type { Tool, ToolCall, ToolError, ToolResult } from "@waggle/protocol";
import { keepSize } from "./broken-limit.ts";
import { createDeadline, untilAborted } from "./deadline.ts";
import { schemaViolation } from "./json-schema-check.ts";
import { messageOf, oversizeOf, toolValue } from "./tool-value.ts";

/** The tools and the limits of a call. */
type ToolRunnerOptions = {
  readonly tools: readonly Tool[];
  /** Time limit of a call if its tool sets none, in milliseconds. Default 15,000; 0 = no limit. */
  readonly callTimeoutMs?: number | undefined;
  /** Maximum length of a result as JSON text. Default 16 384. */
  readonly maxResultCharacters?: number | undefined;
};

/** Runs one call. Never rejects. @param probability - as `allows` of a tool takes it; default `null`. */
type ToolRunner = (
  call: ToolCall,
  signal: AbortSignal,
  probability?: number | null,
) => Promise<ToolResult>;

/** @throws WaggleError `INVALID_ARGUMENT` if two tools have the same name. */
export function createToolRunner(options: ToolRunnerOptions): ToolRunner {
  const { tools, callTimeoutMs = 15_000, maxResultCharacters = 16_384 } = options;
  const byName = toolsByName(tools);
  return async (call, signal, probability = null) => {
    const failed = (error: ToolError): ToolResult => ({ callId: call.id, ok: false, error });
    const tool = byName.get(call.name);
    if (tool === undefined) {
      const known = [...byName.keys()].join(", ") || "none";
      const name = call.name.slice(0, 64);
      return failed({ code: "UNKNOWN_TOOL", message: `there is no tool ${name}; tools: ${known}` });
    }

    try {
      const violation = schemaViolation(tool.definition.parameters, call.arguments);
      if (violation !== null) return failed({ code: "INVALID_TOOL_ARGUMENTS", message: violation });
      if (!(await isAllowed(tool, call, signal, probability))) {
        return failed({ code: "TOOL_FAILED", message: "the visitor did not allow this call" });
      }
      const limitMs = tool.timeoutMs ?? callTimeoutMs;
      const deadline = createDeadline(limitMs, signal);
      try {
        const work = (async () => ({ value: await tool.run(call.arguments, deadline.signal) }))();
        const done = await untilAborted(work, deadline.signal);
        if (done !== null) {
          return { callId: call.id, ok: true, value: toolValue(done.value, maxResultCharacters) };
        }
        return failed(
          deadline.reason === "timeout"
            ? { code: "TIMEOUT", message: `no result within ${limitMs} ms` }
            : { code: "TOOL_FAILED", message: "aborted" },
        );
      } finally {
        deadline.release();
      }
    } catch (error) {
      const code = WaggleError.is(error) ? error.code : "TOOL_FAILED";
      const failure = { code, message: messageOf(error) };
      const size = oversizeOf(error);
      if (size !== null) keepSize(failure, size);
      return failed(failure);
    }
  };
}

async function isAllowed(
  tool: Tool,
  call: ToolCall,
  signal: AbortSignal,
  probability: number | null,
): Promise<boolean> {
  if (tool.allows === undefined) return true;
  return (await untilAborted(tool.allows(call.arguments, signal, probability), signal)) === true;
}

function toolsByName(tools: readonly Tool[]): Map<string, Tool> {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    const { name } = tool.definition;
    if (byName.has(name)) {
      throw new WaggleError("INVALID_ARGUMENT", `two tools have the name "${name}"; rename one`);
    }
    byName.set(name, tool);
  }
  return byName;
}
