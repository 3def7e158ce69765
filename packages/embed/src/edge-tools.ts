/**
 * The edge's tools that a page names, over MCP. Their definitions are stored in the browser, because the
 * policy must see the same tools offline. A call without a network is a failed result like any other.
 */
import { connectMcpTools } from "@waggle/agent";
import type { McpConnection } from "@waggle/agent";
import { withinTimeLimit } from "@waggle/collector";
import type { EdgeSession, KeyValueStorage, Schedule } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { Tool, ToolDefinition, WaggleErrorCode } from "@waggle/protocol";
import { patientFetch } from "./patient-fetch.ts";

/** Lists and calls the edge's tools. */
export interface EdgeTools {
  /**
   * The named tools that the edge serves, in the edge's order. Empty if there has never been a connection.
   * Without names, no request goes to the edge.
   * @param meanwhile - if definitions are stored, the connection is awaited only until this settles.
   */
  list(meanwhile: Promise<unknown>): Promise<readonly Tool[]>;
  /** Calls a tool by name. @throws WaggleError with the tool's error code, or `TOOL_UNAVAILABLE`. */
  call(
    name: string,
    args: { readonly [key: string]: unknown },
    signal: AbortSignal,
  ): Promise<unknown>;
  /** Deletes the stored definitions and closes the connection. The next call reconnects. */
  clear(): void;
  close(): Promise<void>;
}

/** Options of `createEdgeTools`. */
export type EdgeToolsParts = {
  /** Tools that the page may show to its policy. */
  readonly names: readonly string[];
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Time limit for a connection. Default 20 s. */
  readonly timeoutMs?: number;
  /** Default `setTimeout`. */
  readonly schedule?: Schedule | undefined;
};

const STORED = "waggle.edgeTools";

/** Connects when a tool is first listed or called. */
export function createEdgeTools(
  session: EdgeSession,
  storage: KeyValueStorage,
  parts: EdgeToolsParts,
): EdgeTools {
  const { names, timeoutMs: limitMs = 20_000, schedule } = parts;
  const patient = patientFetch(parts.fetch ?? ((input, init) => fetch(input, init)), schedule);
  let connecting: Promise<McpConnection> | null = null;

  const connect = (): Promise<McpConnection> => {
    if (connecting !== null) return connecting;
    const line = connectMcpTools({
      url: `${session.edgeUrl}/mcp`,
      headers: async () => {
        // A handshake that was abandoned must not open a session.
        if (connecting !== mine) throw new WaggleError("DISPOSED", "this connection was closed");
        return { authorization: `Bearer ${await session.token()}` };
      },
      fetch: patient,
    });
    const mine = withinTimeLimit({ limitMs, schedule }, () => line).catch((error: unknown) => {
      if (connecting === mine) connecting = null;
      closeQuietly(line);
      throw error;
    });
    connecting = mine;
    return mine;
  };

  /** Lists the edge's tools and stores them for the next visit; `null` if the edge cannot be reached. */
  const ask = async (): Promise<ToolDefinition[] | null> => {
    const mine = connect();
    const connection = await mine.catch(() => null);
    if (connection === null) return null;
    const definitions = connection.tools.map((tool) => tool.definition);
    if (connecting === mine) storage.setItem(STORED, JSON.stringify(definitions));
    return definitions;
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
    async list(meanwhile) {
      if (names.length === 0) return [];
      const stored = storedDefinitions(storage);
      const patience = meanwhile.then(
        () => null,
        () => null,
      );
      const listed = await (stored === null ? ask() : Promise.race([ask(), patience]));
      const definitions = listed ?? stored ?? [];
      return definitions
        .filter(({ name }) => names.includes(name))
        .map((definition) => ({
          definition,
          run: (args, signal) => call(definition.name, args, signal),
        }));
    },
    clear() {
      storage.removeItem(STORED);
      if (connecting !== null) closeQuietly(connecting);
      connecting = null;
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

function closeQuietly(line: Promise<McpConnection>): void {
  line.then((connection) => connection.close()).catch(() => undefined);
}

/** `null` if there are no readable stored definitions. */
function storedDefinitions(storage: KeyValueStorage): ToolDefinition[] | null {
  // `ask` wrote this. The catch drops invalid JSON; definitions of other releases are used unchanged.
  try {
    return JSON.parse(storage.getItem(STORED) ?? "null") as ToolDefinition[] | null;
  } catch {
    return null;
  }
}

/** Converts a failure of the form `{ code, message }`, as the edge writes it. Other errors keep their message. */
function toolError(error: unknown): unknown {
  if (!(error instanceof Error) || WaggleError.is(error)) return error;
  try {
    const { code, message } = JSON.parse(error.message) as { code: unknown; message: unknown };
    if (typeof code === "string" && typeof message === "string") {
      return new WaggleError(code as WaggleErrorCode, message);
    }
  } catch {
    // Not JSON: keep the tool's own message.
  }
  return error;
}
