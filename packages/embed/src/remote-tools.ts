/**
 * The tools of one MCP server that a page names. Their definitions are stored in the browser, because the
 * policy must see the same tools offline. A call without a network is a failed result like any other.
 */
import type { McpConnection, McpOptions } from "@waggle/agent/mcp";
import { withinTimeLimit } from "@waggle/collector";
import type { KeyValueStorage, Schedule } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { Tool, ToolDefinition, ToolText, WaggleErrorCode } from "@waggle/protocol";
import { patientFetch } from "./patient-fetch.ts";

/** Lists and calls the tools of a server. */
export interface RemoteTools {
  /**
   * The named tools that the server has. Empty if there has never been a connection.
   * Without names, no request goes to the server.
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

/** A server and the dependencies that tests replace. */
export type RemoteToolsOptions = {
  readonly url: string;
  /** Tools that the page may show to its policy. */
  readonly names: readonly string[];
  /** Whether tools are listed in the order of `names`. Default: in the server's. */
  readonly inNamedOrder?: boolean;
  readonly headers?: McpOptions["headers"];
  readonly storage: KeyValueStorage;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Time limit for a connection. Default 20 s. */
  readonly timeoutMs?: number;
  /** Default `setTimeout`. */
  readonly schedule?: Schedule | undefined;
};

/** A definition as it is stored, with what the policy does not read. */
type StoredTool = ToolDefinition & {
  readonly title?: ToolText | undefined;
  readonly changes?: boolean | undefined;
};

/** Connects when a tool is first listed or called. The code for MCP is loaded then, too. */
export function createRemoteTools(options: RemoteToolsOptions): RemoteTools {
  const { url, names, headers = {}, storage, timeoutMs: limitMs = 20_000, schedule } = options;
  const key = `waggle.tools ${url}`;
  const patient = patientFetch(options.fetch ?? ((input, init) => fetch(input, init)), schedule);
  let connecting: Promise<McpConnection> | null = null;

  const connect = (): Promise<McpConnection> => {
    if (connecting !== null) return connecting;
    const line = import("@waggle/agent/mcp").then(({ connectMcpTools }) =>
      connectMcpTools({
        url,
        headers: async () => {
          // A handshake that was abandoned must not open a session.
          if (connecting !== mine) throw new WaggleError("DISPOSED", "this connection was closed");
          return typeof headers === "function" ? headers() : headers;
        },
        fetch: patient,
      }),
    );
    const mine = withinTimeLimit({ limitMs, schedule }, () => line).catch((error: unknown) => {
      if (connecting === mine) connecting = null;
      closeQuietly(line);
      throw error;
    });
    connecting = mine;
    return mine;
  };

  /** Lists the server's tools and stores them for the next visit; `null` if it cannot be reached. */
  const ask = async (): Promise<StoredTool[] | null> => {
    const mine = connect();
    const connection = await mine.catch(() => null);
    if (connection === null) return null;
    const listed = connection.tools.map(({ definition, title, changes }) => ({
      ...definition,
      title,
      changes,
    }));
    if (connecting === mine) storage.setItem(key, JSON.stringify(listed));
    return listed;
  };

  const call: RemoteTools["call"] = async (name, args, signal) => {
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
      const stored = storedTools(storage.getItem(key));
      const patience = meanwhile.then(
        () => null,
        () => null,
      );
      const listed = await (stored === null ? ask() : Promise.race([ask(), patience]));
      const named = (listed ?? stored ?? []).filter(({ name }) => names.includes(name));
      const place = ({ name }: StoredTool): number => names.indexOf(name);
      return (options.inNamedOrder ? named.toSorted((a, b) => place(a) - place(b)) : named).map(
        ({ title, changes, ...definition }) => ({
          definition,
          ...(title === undefined ? {} : { title }),
          ...(changes === undefined ? {} : { changes }),
          run: (args, signal) => call(definition.name, args, signal),
        }),
      );
    },
    clear() {
      storage.removeItem(key);
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
function storedTools(text: string | null): StoredTool[] | null {
  // `ask` wrote this. The catch drops invalid JSON; definitions of other releases are used unchanged.
  try {
    return JSON.parse(text ?? "null") as StoredTool[] | null;
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
