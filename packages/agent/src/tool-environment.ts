/**
 * The environment of a live visitor's request. It runs the tools and ends when the policy answers without
 * calling one. It has no task, no simulated user and no verifier.
 */
import { WaggleError } from "@waggle/protocol";
import type {
  Environment,
  Observation,
  Tool,
  ToolCall,
  ToolError,
  ToolResult,
} from "@waggle/protocol";
import { createDeadline, untilAborted } from "./deadline.ts";
import { schemaViolation } from "./json-schema-check.ts";
import { messageOf, toolValue } from "./tool-value.ts";

/** The tools, texts and limits of one request. */
export type ToolEnvironmentOptions = {
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly userMessage: string;
  /** Time limit of a call if its tool sets none, in milliseconds. Default 15,000; 0 = no limit. */
  readonly callTimeoutMs?: number;
  /** Maximum length of a result as JSON text. A longer result becomes a failed one. Default 16 384. */
  readonly maxResultCharacters?: number;
};

/**
 * Creates the environment of one request. Calls of a turn run concurrently. An unknown tool, invalid
 * arguments, a throw, a timeout, a result that is not JSON and one that is too long all become failed
 * results.
 *
 * @throws WaggleError `INVALID_ARGUMENT` if two tools have the same name.
 */
export function createToolEnvironment(options: ToolEnvironmentOptions): Environment {
  const { system, tools, userMessage, callTimeoutMs = 15_000 } = options;
  const { maxResultCharacters = 16_384 } = options;
  const byName = toolsByName(tools);
  const run = async (call: ToolCall, signal: AbortSignal): Promise<ToolResult> => {
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
      if (!(await isAllowed(tool, call, signal))) {
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
      return failed({ code, message: messageOf(error) });
    }
  };
  return {
    task: null,
    observe: () =>
      Promise.resolve({ system, tools: tools.map((tool) => tool.definition), userMessage }),
    step: async ({ toolCalls }, signal): Promise<Observation> => ({
      toolResults: await Promise.all(toolCalls.map((call) => run(call, signal))),
      terminated: toolCalls.length === 0,
    }),
  };
}

async function isAllowed(tool: Tool, call: ToolCall, signal: AbortSignal): Promise<boolean> {
  if (tool.allows === undefined) return true;
  return (await untilAborted(tool.allows(call.arguments, signal), signal)) === true;
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
