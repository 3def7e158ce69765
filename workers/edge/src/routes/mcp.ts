/**
 * The site's edge tools as a stateless Streamable-HTTP MCP server. Any MCP client can call them with a session
 * token. A site without edge tools lists none. A failed tool returns `isError` with the error as JSON text, and an
 * unknown tool is a JSON-RPC error, as MCP requires.
 */
import {
  type CallToolResult,
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool as ListedTool,
} from "@modelcontextprotocol/server";
import { createToolRunner } from "@waggle/agent/tools";
import {
  isObject,
  type Tool,
  type ToolDefinition,
  type ToolError,
  WAGGLE_VERSION,
  WaggleError,
} from "@waggle/protocol";
import { readBytes, SMALL_BODY_BYTES } from "../body.ts";
import { runServedTool, servedTools, type ToolSetName } from "../tools/edge-tools.ts";
import type { EdgeContext, Endpoint } from "../endpoint.ts";

/** What an edge serves: sets of the repository, and the tools that were bundled with the Worker. */
type Served = { readonly sets: readonly ToolSetName[]; readonly tools: readonly Tool[] };

async function callTool(
  { sets, tools }: Served,
  name: string,
  args: { readonly [key: string]: unknown },
  signal: AbortSignal,
): Promise<CallToolResult> {
  if (tools.some(({ definition }) => definition.name === name)) {
    const run = createToolRunner({ tools });
    const result = await run({ id: "call", name, arguments: args }, signal);
    return result.ok ? succeeded(result.value) : failed(result.error);
  }
  try {
    return succeeded(runServedTool(sets, name, args));
  } catch (error) {
    if (WaggleError.is(error, "UNKNOWN_TOOL")) {
      const { code, message } = error;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code });
    }
    const code = WaggleError.is(error) ? error.code : "TOOL_FAILED";
    const message = error instanceof Error ? error.message.slice(0, 500) : "the tool failed";
    return failed({ code, message });
  }
}

function succeeded(value: unknown): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}

/** A failed tool is a result for the model, not a fault of the Worker. */
function failed({ code, message }: ToolError): CallToolResult {
  return { isError: true, content: [{ type: "text", text: JSON.stringify({ code, message }) }] };
}

/**
 * Passes arguments unchanged. The tool validates them itself with the same messages everywhere, so that a
 * replay of a trajectory gets the same result.
 */
function createServer(served: Served): Server {
  const ofSets = servedTools(served.sets).map((tool): ListedTool => ({
    ...listed(tool),
    ...(tool.title === undefined ? {} : { title: tool.title }),
    ...(tool.result === undefined ? {} : { outputSchema: tool.result }),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  }));
  const tools = [...ofSets, ...served.tools.map(({ definition }) => listed(definition))];
  const server = new Server(
    { name: "waggle-edge", version: WAGGLE_VERSION },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const args = isObject(params.arguments) ? params.arguments : {};
    const result = await callTool(served, params.name, args, mcpReq.signal);
    // Clients of older protocols get values other than objects as `{ result }`.
    const schema = tools.find(({ name }) => name === params.name)?.outputSchema;
    return server.projectCallToolResult(result, schema);
  });
  return server;
}

function listed({ name, description, parameters }: ToolDefinition): ListedTool {
  return { name, description, inputSchema: { ...parameters, type: "object" } };
}

/** Measures the body first, because the MCP handler reads bodies of any size. */
const handle = async (context: EdgeContext): Promise<Response> => {
  const { raw } = context.req;
  const body = await readBytes(raw, SMALL_BODY_BYTES);
  const headers = new Headers(raw.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  const served = { sets: context.get("settings").EDGE_TOOLS, tools: context.get("tools") };
  const handler = createMcpHandler(() => createServer(served), { keepAliveMs: 0 });
  return handler.fetch(new Request(raw.url, { method: raw.method, headers, body }));
};

/** `POST /mcp`. */
export const mcpEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/mcp",
    operationId: "callMcp",
    summary: "Model Context Protocol over Streamable HTTP, stateless: tools/list and tools/call.",
    access: "session",
    allowedOrigins: true,
    request: "mcp",
    responses: { 200: "mcp", 202: "empty" },
    handle,
  },
];
