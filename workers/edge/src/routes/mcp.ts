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
import { isObject, TOOL_TITLES, toolText, WAGGLE_VERSION, WaggleError } from "@waggle/protocol";
import { readBytes, SMALL_BODY_BYTES } from "../body.ts";
import type { EdgeContext, Endpoint } from "../endpoint.ts";
import { countRefusal } from "../refusal-counter.ts";
import type { EdgeTool } from "@waggle/agent/tools";
import { runServedTool, servedTools } from "../tools/edge-tools.ts";

async function callTool(
  tools: readonly EdgeTool[],
  name: string,
  args: { readonly [key: string]: unknown },
  signal: AbortSignal,
  noteFailure: (code: string) => void,
): Promise<CallToolResult> {
  try {
    const result = await runServedTool(tools, name, args, signal);
    if (result.ok) {
      const { value } = result;
      return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
    }
    noteFailure(result.error.code);
    // A failed tool is a result for the model, not a fault of the Worker.
    return { isError: true, content: [{ type: "text", text: JSON.stringify(result.error) }] };
  } catch (error) {
    if (!WaggleError.is(error, "UNKNOWN_TOOL")) throw error;
    const { code, message } = error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code });
  }
}

/** A tool as MCP lists it. */
function listed({ definition, title, result, isPure, changes }: EdgeTool): Tool {
  const { name, description, parameters } = definition;
  const pure = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
  return {
    name,
    ...titled(title),
    description,
    inputSchema: { ...parameters, type: "object" },
    ...(result === undefined ? {} : { outputSchema: result }),
    ...(isPure === true ? { annotations: pure } : {}),
    ...(changes === true ? { annotations: { readOnlyHint: false } } : {}),
  };
}

/** MCP has one title for all languages: the first. Pages of Waggle read the others. */
function titled(title: EdgeTool["title"]): Pick<Tool, "title" | "_meta"> {
  if (title === undefined) return {};
  if (typeof title === "string") return { title };
  return { title: toolText(title), _meta: { [TOOL_TITLES]: title } };
}

/** @param noteFailure - called with the error code of each failed call. */
function createServer(served: readonly EdgeTool[], noteFailure: (code: string) => void): Server {
  const tools = served.map(listed);
  const server = new Server(
    { name: "waggle-edge", version: WAGGLE_VERSION },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const args = isObject(params.arguments) ? params.arguments : {};
    const result = await callTool(served, params.name, args, mcpReq.signal, noteFailure);
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
  const { code, settings, site, now } = context.var;
  const tools = servedTools(code, site.id, settings.EDGE_TOOLS);
  // Recorded here, because a page can claim any failure.
  const noteFailure = (reason: string): void =>
    context.executionCtx.waitUntil(countRefusal(context.env, site.id, "callMcp", reason, now));
  const handler = createMcpHandler(() => createServer(tools, noteFailure), { keepAliveMs: 0 });
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
