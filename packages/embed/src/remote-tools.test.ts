import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { createMemoryStorage } from "@waggle/collector";
import type { KeyValueStorage } from "@waggle/collector";
import type { Tool } from "@waggle/protocol";
import { createTestClock } from "@waggle/testing";
import { expect, test } from "vitest";
import { createRemoteTools, type RemoteTools } from "./remote-tools.ts";

const never = new Promise<never>(() => undefined);
const hang: typeof fetch = () => never;

/** A real MCP server in this process with one tool. */
function serve(
  name: string,
  onList = (): void => undefined,
  annotations: { readonly readOnlyHint?: boolean } = {},
): typeof fetch {
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => {
      onList();
      return { tools: [{ name, description: "", inputSchema: { type: "object" }, annotations }] };
    });
    server.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: "found" }] }));
    return server;
  });
  return (input, init) => handler.fetch(new Request(input, init));
}

type Line = { readonly tools: RemoteTools; readonly tokens: () => number };

const URL_OF_SERVER = "https://tools.example/mcp";
const KEY = `waggle.tools ${URL_OF_SERVER}`;

function open(
  storage: KeyValueStorage,
  fetch: typeof globalThis.fetch,
  clock = createTestClock(),
  names: readonly string[] = ["search", "find"],
  url = URL_OF_SERVER,
): Line {
  let tokens = 0;
  const headers = (): { authorization: string } => ({ authorization: `Bearer ${(tokens += 1)}` });
  const { schedule } = clock;
  const tools = createRemoteTools({ url, names, headers, storage, fetch, schedule });
  return { tools, tokens: () => tokens };
}

const namesOf = (tools: readonly Tool[]): string[] =>
  tools.map(({ definition }) => definition.name);

/** Storage of a visitor whose page has seen the definition of `search`. */
async function visited(): Promise<KeyValueStorage> {
  const storage = createMemoryStorage();
  const { tools } = open(storage, serve("search"));
  expect(namesOf(await tools.list(never))).toEqual(["search"]);
  await tools.close();
  return storage;
}

test("stored definitions are used at once while the connection hangs", async () => {
  const { tools } = open(await visited(), hang);
  expect(namesOf(await tools.list(Promise.resolve()))).toEqual(["search"]);
});

test("only the named tools are shown, and without names no request goes to the server", async () => {
  const storage = await visited();
  let asked = 0;
  const fetch = serve("search", () => asked++);
  expect(await open(storage, fetch, undefined, ["find"]).tools.list(never)).toEqual([]);
  expect(asked).toBe(1);
  const none = open(storage, fetch, undefined, []);
  expect(await none.tools.list(never)).toEqual([]);
  expect({ asked, tokens: none.tokens() }).toEqual({ asked: 1, tokens: 0 });
});

test("newer definitions are used if they arrive in time, and are stored", async () => {
  const storage = await visited();
  const { tools } = open(storage, serve("find"));
  expect(namesOf(await tools.list(never))).toEqual(["find"]);
  await tools.close();
  expect(namesOf(await open(storage, hang).tools.list(Promise.resolve()))).toEqual(["find"]);
});

test("whether a tool changes something is stored, and is no part of its definition", async () => {
  const storage = createMemoryStorage();
  const fetch = serve("search", undefined, { readOnlyHint: false });
  const { tools } = open(storage, fetch);
  const [listed] = await tools.list(never);
  await tools.close();
  const [stored] = await open(storage, hang).tools.list(Promise.resolve());
  for (const tool of [listed, stored]) {
    expect(tool?.changes).toBe(true);
    expect(Object.keys(tool?.definition ?? {})).not.toContain("changes");
  }
});

test("a first visit waits 20 s for a connection and continues without tools", async () => {
  const clock = createTestClock();
  const { tools } = open(createMemoryStorage(), hang, clock);
  const listing = tools.list(Promise.resolve());
  clock.advance(20_000);
  expect(await listing).toEqual([]);
});

test("a call over a hanging connection is a network error, and the next call reconnects", async () => {
  const clock = createTestClock();
  let send = hang;
  const { tools } = open(createMemoryStorage(), (input, init) => send(input, init), clock);
  const call = tools.call("search", {}, new AbortController().signal);
  clock.advance(20_000);
  await expect(call).rejects.toMatchObject({ code: "NETWORK", retryable: true });
  send = serve("search");
  expect(namesOf(await tools.list(never))).toEqual(["search"]);
  await tools.close();
});

test("a rate-limited call waits for Retry-After and does not fail", async () => {
  const waits: number[] = [];
  const server = serve("search");
  let refusals = 1;
  const send: typeof fetch = (input, init) => {
    const isCall = typeof init?.body === "string" && init.body.includes("tools/call");
    if (!isCall || refusals-- <= 0) return server(input, init);
    return Promise.resolve(new Response("busy", { status: 429, headers: { "retry-after": "30" } }));
  };
  const { tools } = open(createMemoryStorage(), send, {
    ...createTestClock(),
    schedule: (run, delayMs) => {
      waits.push(delayMs);
      if (delayMs === 30_000) queueMicrotask(run);
      return () => undefined;
    },
  });
  expect(await tools.call("search", {}, new AbortController().signal)).toBe("found");
  expect(waits).toContain(30_000);
  await tools.close();
});

test("clearing removes the definitions, and a pending handshake opens no session", async () => {
  const storage = await visited();
  const { tools, tokens } = open(storage, serve("find"));
  const listing = tools.list(never);
  tools.clear();
  expect(namesOf(await listing)).toEqual(["search"]);
  expect(storage.getItem(KEY)).toBeNull();
  expect(tokens()).toBe(0);
});

test("a list that arrives after clearing is not stored", async () => {
  const storage = createMemoryStorage();
  const { tools } = open(
    storage,
    serve("search", () => tools.clear()),
  );
  expect(namesOf(await tools.list(never))).toEqual(["search"]);
  expect(storage.getItem(KEY)).toBeNull();
});

test("the definitions of two servers are stored apart", async () => {
  const storage = createMemoryStorage();
  const clock = createTestClock();
  const names = ["search", "find"];
  const other = "https://other.example/mcp";
  const lines = [open(storage, serve("search")), open(storage, serve("find"), clock, names, other)];
  for (const { tools } of lines) await tools.list(never);
  await Promise.all(lines.map(({ tools }) => tools.close()));
  const offline = [URL_OF_SERVER, other].map((url) => open(storage, hang, clock, names, url));
  const lists = await Promise.all(offline.map(({ tools }) => tools.list(Promise.resolve())));
  expect(lists.map(namesOf)).toEqual([["search"], ["find"]]);
  offline[0]?.tools.clear();
  expect(storage.getItem(KEY)).toBeNull();
  expect(storage.getItem(`waggle.tools ${other}`)).toContain("find");
});
