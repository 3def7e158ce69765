/**
 * Connects to an MCP server over Streamable HTTP and offers its tools to an agent. It works in pages whose
 * CSP forbids `unsafe-eval`, because the validator passed to the client interprets schemas.
 * Source: Model Context Protocol specification, tools and Streamable HTTP transport.
 */
import type { Client, Tool as ListedTool } from "@modelcontextprotocol/client";
import { boundary, isObject, TOOL_TITLES, WAGGLE_VERSION, WaggleError } from "@waggle/protocol";
import type { Tool, ToolText } from "@waggle/protocol";
import { codedError, mcpValue } from "./mcp-result.ts";

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
  /** The tools that the server lists, with source `edge`. Changes when the server says that its list did. */
  readonly tools: readonly Tool[];
  readonly close: () => Promise<void>;
};

/** JSON-RPC's code for invalid parameters, which MCP also uses for unknown tools. */
const INVALID_PARAMS = -32_602;

/** One session with the server, and the tools that it listed last. */
type Session = { readonly client: Client; listed: readonly ListedTool[] };

/**
 * Connects to the server and lists its tools. A session that the server has forgotten is opened again.
 *
 * @throws WaggleError `NETWORK` if the server cannot be reached or does not speak MCP, `UNAUTHENTICATED` if it wants
 *   authorization that `headers` does not give, `FORBIDDEN` if it refuses this client.
 */
export async function connectMcpTools(options: McpOptions): Promise<McpConnection> {
  let current = await openSession(options);
  let opening: Promise<Session> | null = null;
  let isClosed = false;

  /** The session after `lost`. Calls that lost the same session share the next one. */
  const renewed = (lost: Session): Promise<Session> => {
    if (isClosed || current !== lost) return Promise.resolve(current);
    opening ??= openSession(options)
      .then(async (next) => {
        current = next;
        await Promise.all([lost.client.close(), isClosed && next.client.close()]);
        return next;
      })
      .finally(() => (opening = null));
    return opening;
  };

  const call = async (
    name: string,
    args: { readonly [key: string]: unknown },
    signal: AbortSignal,
  ): Promise<unknown> => {
    const session = current;
    const send = ({ client }: Session) =>
      client.callTool({ name, arguments: { ...args } }, { signal });
    const result = await send(session).catch(async (error: unknown) => {
      if (!isLostSession(session, error)) throw accessError(error) ?? refusalOf(error) ?? error;
      return send(await renewed(session));
    });
    return mcpValue(result);
  };

  return {
    get tools() {
      return current.listed
        .filter(isCallable)
        .map(({ name, description = "", inputSchema, ...listed }): Tool => ({
          definition: { name, description, parameters: inputSchema, source: "edge" },
          ...titled(titlesOf(listed._meta) ?? listed.title ?? listed.annotations?.title),
          // A missing hint says nothing: servers may leave it out also where a tool only reads.
          ...(listed.annotations?.readOnlyHint === false ? { changes: true } : {}),
          run: async (args, signal) => {
            signal.throwIfAborted();
            try {
              return await boundary("tool", () => call(name, args, signal));
            } catch (error) {
              // The client reports an abort as a timeout.
              signal.throwIfAborted();
              throw error;
            }
          },
        }));
    },
    close: async () => {
      isClosed = true;
      await current.client.close();
    },
  };
}

async function openSession({
  url,
  headers = {},
  fetch: send = globalThis.fetch,
}: McpOptions): Promise<Session> {
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
      listChanged: {
        tools: {
          onChanged: (_, tools) => {
            // A failed refresh keeps the last list.
            if (tools !== null) session.listed = tools;
          },
        },
      },
    },
  );
  const session: Session = { client, listed: [] };
  await boundary("network", async () => {
    try {
      await client.connect(transport);
      session.listed = (await client.listTools()).tools;
    } catch (error) {
      throw accessError(error) ?? error;
    }
  });
  return session;
}

/** Titles by language, as an edge of Waggle lists them; `undefined` from other servers. */
function titlesOf(meta: ListedTool["_meta"]): ToolText | undefined {
  const titles = meta?.[TOOL_TITLES];
  if (!isObject(titles)) return undefined;
  const texts = Object.entries(titles).filter(([, text]) => typeof text === "string");
  return texts.length === 0 ? undefined : (Object.fromEntries(texts) as ToolText);
}

function titled(title: ToolText | undefined): Pick<Tool, "title"> {
  return title === undefined ? {} : { title };
}

/** Whether `tools/call` runs the tool. Some run only as a task of MCP, which this client does not start. */
function isCallable({ execution }: ListedTool): boolean {
  return execution?.taskSupport !== "required";
}

/**
 * The server answers 404 to a session id that it does not know, and the client must open a new session. Servers made
 * from the examples of the official SDK answer 400 with this text.
 */
function isLostSession({ client }: Session, error: unknown): boolean {
  if (client.transport?.sessionId === undefined || !(error instanceof Error)) return false;
  const { status } = error as Error & { readonly status?: unknown };
  return status === 404 || (status === 400 && error.message.includes("No valid session ID"));
}

/** The error for a server that refuses this client, which a repeated request does not change; `null` for others. */
function accessError(error: unknown): WaggleError | null {
  if (!(error instanceof Error)) return null;
  const { status } = error as Error & { readonly status?: unknown };
  const options = { cause: error };
  if (status === 401) {
    const message =
      "the MCP server wants authorization (status 401); pass a valid token in `headers`";
    return new WaggleError("UNAUTHENTICATED", message, options);
  }
  if (status !== 403) return null;
  return new WaggleError("FORBIDDEN", "the MCP server refuses this client (status 403)", options);
}

/** The error for a call that the server refuses, such as one of an unknown tool; `null` for other errors. */
function refusalOf(error: unknown): WaggleError | null {
  if (!(error instanceof Error) || error.name !== "ProtocolError") return null;
  const { code, data } = error as Error & { readonly code?: unknown; readonly data?: unknown };
  if (code !== INVALID_PARAMS) return null;
  const known = isObject(data) ? codedError(data["code"], error.message) : null;
  return known ?? new WaggleError("TOOL_FAILED", error.message);
}
