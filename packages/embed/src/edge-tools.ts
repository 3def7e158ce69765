/**
 * The site's tools on the edge, over MCP. Their definitions are kept, since the policy must be shown the same
 * tools with and without a network; a call without one is a failed result like any other.
 */
import { connectMcpTools } from "@waggle/agent";
import type { McpConnection } from "@waggle/agent";
import type { EdgeSession, KeyValueStorage } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { Tool, ToolDefinition, WaggleErrorCode } from "@waggle/protocol";

export interface EdgeTools {
  /** Ready to be shown to the policy; empty where there never was a connection. */
  list(): Promise<readonly Tool[]>;
  /** Runs one by name. @throws WaggleError with the tool's own code, or `TOOL_UNAVAILABLE`. */
  call(
    name: string,
    args: { readonly [key: string]: unknown },
    signal: AbortSignal,
  ): Promise<unknown>;
  close(): Promise<void>;
}

const STORED = "waggle.edgeTools";

export function createEdgeTools(session: EdgeSession, storage: KeyValueStorage): EdgeTools {
  let connecting: Promise<McpConnection> | null = null;

  const connect = (): Promise<McpConnection> => {
    connecting ??= connectMcpTools({
      url: `${session.edgeUrl}/mcp`,
      headers: async () => ({ authorization: `Bearer ${await session.token()}` }),
    }).catch((error: unknown) => {
      connecting = null;
      throw error;
    });
    return connecting;
  };

  const call: EdgeTools["call"] = async (name, args, signal) => {
    const { tools } = await connect();
    const tool = tools.find(({ definition }) => definition.name === name);
    if (tool === undefined) throw new WaggleError("UNKNOWN_TOOL", "no such tool");
    try {
      return await tool.run(args, signal);
    } catch (error) {
      throw toolError(error);
    }
  };

  return {
    call,
    async list() {
      const listed = await connect().then(
        ({ tools }) => tools.map((tool) => tool.definition),
        () => null,
      );
      if (listed !== null) storage.setItem(STORED, JSON.stringify(listed));
      const definitions = listed ?? storedDefinitions(storage);
      return definitions.map((definition) => ({
        definition,
        run: (args, signal) => call(definition.name, args, signal),
      }));
    },
    async close() {
      const open = connecting;
      connecting = null;
      await open?.then(
        (connection) => connection.close(),
        () => undefined,
      );
    },
  };
}

function storedDefinitions(storage: KeyValueStorage): ToolDefinition[] {
  // Written by `list` above; what another version wrote is dropped by the catch or rendered as it is.
  try {
    return JSON.parse(storage.getItem(STORED) ?? "[]") as ToolDefinition[];
  } catch {
    return [];
  }
}

/** The edge writes a tool's failure as `{ code, message }`; anything else keeps its own words. */
function toolError(error: unknown): unknown {
  if (!(error instanceof Error) || WaggleError.is(error)) return error;
  try {
    const { code, message } = JSON.parse(error.message) as { code: unknown; message: unknown };
    if (typeof code === "string" && typeof message === "string") {
      return new WaggleError(code as WaggleErrorCode, message);
    }
  } catch {
    // Not JSON: the words of the tool itself.
  }
  return error;
}
