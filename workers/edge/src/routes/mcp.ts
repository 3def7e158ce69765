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
  type Tool,
} from "@modelcontextprotocol/server";
import { isObject, WAGGLE_VERSION, WaggleError } from "@waggle/protocol";
import { readBytes, SMALL_BODY_BYTES } from "../body.ts";
import { runServedTool, servedTools, type ToolSetName } from "../edge-tools.ts";
import type { EdgeContext, Endpoint } from "../endpoint.ts";

function callTool(sets: readonly ToolSetName[], name: string, args: unknown): CallToolResult {
  try {
    const value = runServedTool(sets, name, isObject(args) ? args : {});
    return {
      content: [{ type: "text", text: JSON.stringify(value) }],
      structuredContent: value,
    };
  } catch (error) {
    if (WaggleError.is(error, "UNKNOWN_TOOL")) {
      const { code, message } = error;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code });
    }
    // A failed tool is a result for the model, not a fault of the Worker.
    const code = WaggleError.is(error) ? error.code : "TOOL_FAILED";
    const message = error instanceof Error ? error.message.slice(0, 500) : "the tool failed";
    return {
      isError: true,
      content: [{ type: "text", text: JSON.stringify({ code, message }) }],
    };
  }
}

/**
 * Passes arguments unchanged. The tool validates them itself with the same messages everywhere, so that a
 * replay of a trajectory gets the same result.
 */
function createServer(sets: readonly ToolSetName[]): Server {
  const tools = servedTools(sets).map(({ name, title, description, parameters, result }): Tool => ({
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: { ...parameters, type: "object" },
    ...(result === undefined ? {} : { outputSchema: result }),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  }));
  const server = new Server(
    { name: "waggle-edge", version: WAGGLE_VERSION },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", ({ params }) => {
    const result = callTool(sets, params.name, params.arguments);
    // Clients of older protocols get values other than objects as `{ result }`.
    const schema = tools.find(({ name }) => name === params.name)?.outputSchema;
    return server.projectCallToolResult(result, schema);
  });
  return server;
}

/** Measures the body first, because the MCP handler reads bodies of any size. */
const handle = async (context: EdgeContext): Promise<Response> => {
  const { raw } = context.req;
  const body = await readBytes(raw, SMALL_BODY_BYTES);
  const headers = new Headers(raw.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  const sets = context.get("settings").EDGE_TOOLS;
  const handler = createMcpHandler(() => createServer(sets), { keepAliveMs: 0 });
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
