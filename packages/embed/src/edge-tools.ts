/**
 * The edge tools that a page names, over MCP. Their definitions are kept, since the policy must be shown the
 * same tools with and without a network; a call without one is a failed result like any other.
 */
import { connectMcpTools } from "@waggle/agent";
import type { McpConnection } from "@waggle/agent";
import { withinTimeLimit } from "@waggle/collector";
import type { EdgeSession, KeyValueStorage, Schedule } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { Tool, ToolDefinition, WaggleErrorCode } from "@waggle/protocol";
import { patientFetch } from "./patient-fetch.ts";

export interface EdgeTools {
  /**
   * The named ones that the edge serves, ready to be shown to the policy, in the edge's order; empty where
   * there never was a connection. Where none is named the edge is not asked.
   * @param meanwhile how long a connection is waited for where definitions are stored: until this settles.
   */
  list(meanwhile: Promise<unknown>): Promise<readonly Tool[]>;
  /** Runs one by name. @throws WaggleError with the tool's own code, or `TOOL_UNAVAILABLE`. */
  call(
    name: string,
    args: { readonly [key: string]: unknown },
    signal: AbortSignal,
  ): Promise<unknown>;
  /** Removes the stored definitions and ends the connection; the next call opens another. */
  clear(): void;
  close(): Promise<void>;
}

export type EdgeToolsParts = {
  /** The tools that the page may show to its policy. */
  readonly names: readonly string[];
  /** Default the global one. */
  readonly fetch?: typeof fetch;
  /** How long a connection may take. Default 20 s. */
  readonly timeoutMs?: number;
  /** Default `setTimeout`. */
  readonly schedule?: Schedule | undefined;
};

const STORED = "waggle.edgeTools";

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
        // A handshake that was given up must not open a session.
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

  /** What the edge lists now, kept for the next visit; `null` where it cannot be asked. */
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

/** `null` where nothing is stored that can be read. */
function storedDefinitions(storage: KeyValueStorage): ToolDefinition[] | null {
  // Written by `ask` above; what another version wrote is dropped by the catch or rendered as it is.
  try {
    return JSON.parse(storage.getItem(STORED) ?? "null") as ToolDefinition[] | null;
  } catch {
    return null;
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
