/** Sessions, changed lists and aborts, with a stateful server of the official SDK. */
import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { expect, test, vi } from "vitest";
import { connectMcpTools } from "./mcp-tools.ts";

const never = new AbortController().signal;
const url = "http://edge.test/mcp";

type StatefulServer = {
  readonly fetch: typeof fetch;
  /** Forgets its sessions, as a server does that was restarted. */
  readonly restart: () => void;
  readonly rename: (name: string) => Promise<void>;
  readonly counts: { opened: number; streams: number; aborted: number };
};

/** One tool. `slow` waits for an abort; `unknown` is refused; others return how often a session was opened. */
function serve(first = "count"): StatefulServer {
  const counts = { opened: 0, streams: 0, aborted: 0 };
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  let servers: Server[] = [];
  let name = first;
  const open = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const server = new Server(
      { name: "test", version: "1" },
      { capabilities: { tools: { listChanged: true } } },
    );
    server.setRequestHandler("tools/list", () => ({
      tools: [{ name, inputSchema: { type: "object" } }],
    }));
    server.setRequestHandler("tools/call", async ({ params }, { mcpReq: { signal } }) => {
      if (params.name === "unknown") {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, "no such tool", {
          code: "UNKNOWN_TOOL",
        });
      }
      if (params.name === "slow") {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        counts.aborted += 1;
      }
      return { content: [{ type: "text", text: String(counts.opened) }] };
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        counts.opened += 1;
        sessions.set(id, transport);
      },
    });
    servers.push(server);
    await server.connect(transport);
    return transport;
  };
  return {
    counts,
    restart: () => {
      sessions.clear();
      servers = [];
    },
    rename: async (next) => {
      name = next;
      await Promise.all(servers.map((server) => server.sendToolListChanged()));
    },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const id = request.headers.get("mcp-session-id");
      if (id === null) return (await open()).handleRequest(request);
      const known = sessions.get(id);
      if (request.method === "GET" && known) counts.streams += 1;
      return known?.handleRequest(request) ?? new Response("no such session", { status: 404 });
    },
  };
}

test("a lost session is opened again, once for all calls that lost it", async () => {
  const server = serve();
  const { tools, close } = await connectMcpTools({ url, fetch: server.fetch });
  expect(await tools[0]!.run({}, never)).toBe(1);
  server.restart();
  expect(await Promise.all([tools[0]!.run({}, never), tools[0]!.run({}, never)])).toEqual([2, 2]);
  expect(await tools[0]!.run({}, never)).toBe(2);
  await close();
});

test("a session is lost for good while the server cannot be reached, and found again after", async () => {
  const server = serve();
  let isAway = false;
  const { tools, close } = await connectMcpTools({
    url,
    fetch: (input, init) =>
      isAway && !new Request(input, init).headers.has("mcp-session-id")
        ? Promise.reject(new TypeError("fetch failed"))
        : server.fetch(input, init),
  });
  server.restart();
  isAway = true;
  await expect(tools[0]!.run({}, never)).rejects.toMatchObject({ retryable: true });
  isAway = false;
  expect(await tools[0]!.run({}, never)).toBe(2);
  await close();
});

test("the tools follow the server's changed list", async () => {
  const server = serve("old");
  const connection = await connectMcpTools({ url, fetch: server.fetch });
  expect(connection.tools.map(({ definition }) => definition.name)).toEqual(["old"]);
  // Notifications arrive over this stream.
  await vi.waitFor(() => expect(server.counts.streams).toBe(1));
  await server.rename("new");
  await vi.waitFor(
    () => expect(connection.tools.map(({ definition }) => definition.name)).toEqual(["new"]),
    5000,
  );
  await connection.close();
});

test("an aborted call rejects with the abort's reason, and the server is told", async () => {
  const server = serve("slow");
  const { tools, close } = await connectMcpTools({ url, fetch: server.fetch });
  const abort = new AbortController();
  const call = tools[0]!.run({}, abort.signal);
  setTimeout(() => abort.abort(), 50);
  await expect(call).rejects.toMatchObject({ name: "AbortError" });
  await vi.waitFor(() => expect(server.counts.aborted).toBe(1));
  const reason = new Error("the visitor left");
  await expect(tools[0]!.run({}, AbortSignal.abort(reason))).rejects.toBe(reason);
  await close();
});

test("a stateless server of the newest protocol is told of an abort too", async () => {
  let aborted = 0;
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({
      tools: [{ name: "slow", inputSchema: { type: "object" } }],
    }));
    server.setRequestHandler("tools/call", async (_, { mcpReq: { signal } }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      aborted += 1;
      return { content: [] };
    });
    return server;
  });
  const { tools, close } = await connectMcpTools({
    url,
    fetch: (input, init) => handler.fetch(new Request(input, init)),
  });
  const abort = new AbortController();
  const call = tools[0]!.run({}, abort.signal);
  setTimeout(() => abort.abort(), 50);
  await expect(call).rejects.toMatchObject({ name: "AbortError" });
  await vi.waitFor(() => expect(aborted).toBe(1));
  await close();
});

test("a refused call has the server's code and is not tried again", async () => {
  const server = serve("unknown");
  const { tools, close } = await connectMcpTools({ url, fetch: server.fetch });
  await expect(tools[0]!.run({}, never)).rejects.toMatchObject({
    code: "UNKNOWN_TOOL",
    message: "no such tool",
    retryable: false,
  });
  await close();
});
