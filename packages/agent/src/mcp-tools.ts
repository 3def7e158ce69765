/**
 * Connects to an MCP server over Streamable HTTP and offers its tools to an agent. It works in pages whose
 * CSP forbids `unsafe-eval`, because the validator passed to the client interprets schemas.
 * Source: Model Context Protocol specification, tools and Streamable HTTP transport.
 */
import { boundary, isObject, WAGGLE_VERSION, WaggleError } from "@waggle/protocol";
import type { Tool, WaggleErrorCode } from "@waggle/protocol";

type Headers = { readonly [name: string]: string };

/** How to reach an MCP server. */
export type McpOptions = {
  readonly url: string | URL;
  /** Sent with every request. A function is called each time, for tokens that expire. */
  readonly headers?: Headers | (() => Headers | Promise<Headers>);
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
};

/** An open connection to an MCP server. */
export type McpConnection = {
  /** The tools that the server listed when it was connected, with source `edge`. */
  readonly tools: readonly Tool[];
  readonly close: () => Promise<void>;
};

/**
 * Connects to the server and lists its tools.
 *
 * @throws WaggleError `NETWORK` if the server cannot be reached or does not speak MCP.
 */
export async function connectMcpTools(options: McpOptions): Promise<McpConnection> {
  const { url, headers = {}, fetch: send = globalThis.fetch } = options;
  // Imported on demand, so that trainers and pages without edge tools do not load the client.
  const [{ Client, StreamableHTTPClientTransport }, { CfWorkerJsonSchemaValidator }] =
    await Promise.all([
      import("@modelcontextprotocol/client"),
      import("@modelcontextprotocol/client/validators/cf-worker"),
    ]);
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: async (input, init) => {
      const merged = new globalThis.Headers(init?.headers);
      const own = typeof headers === "function" ? await headers() : headers;
      for (const [name, value] of Object.entries(own)) merged.set(name, value);
      return send(input, { ...init, headers: merged });
    },
  });
  const client = new Client(
    { name: "waggle-agent", version: WAGGLE_VERSION },
    {
      jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
      versionNegotiation: { mode: "auto" },
    },
  );
  const listed = await boundary("network", async () => {
    await client.connect(transport);
    return client.listTools();
  });
  return {
    tools: listed.tools.map((tool): Tool => ({
      definition: {
        name: tool.name,
        description: tool.description ?? "",
        parameters: tool.inputSchema,
        source: "edge",
      },
      run: async (args, signal) => {
        const result = await boundary("tool", () =>
          client.callTool({ name: tool.name, arguments: { ...args } }, { signal }),
        );
        const text = textOf(result.content);
        if (result.isError) throw toolError(text);
        return result.structuredContent === undefined ? parsedOr(text) : result.structuredContent;
      },
    })),
    close: () => client.close(),
  };
}

function textOf(content: readonly { readonly type: string }[] | undefined): string {
  return (content ?? [])
    .map((block) => ("text" in block && typeof block.text === "string" ? block.text : ""))
    .join("");
}

/** A tool's own failure. Our edge writes an error code as JSON; other servers get `TOOL_FAILED`. */
function toolError(text: string): WaggleError {
  const value = parsedOr(text);
  if (isObject(value)) {
    const { code, message } = value;
    if (typeof code === "string" && /^[A-Z_]{1,64}$/.test(code) && typeof message === "string") {
      return new WaggleError(code as WaggleErrorCode, message);
    }
  }
  return new WaggleError("TOOL_FAILED", text || "the tool failed without a message");
}

/** The parsed JSON, or the text itself. Tools without structured output often return JSON as text. */
function parsedOr(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}
