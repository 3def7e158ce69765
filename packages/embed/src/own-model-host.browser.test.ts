/** Loads a model folder from a URL through browser storage and the worker, until it answers. */
import { createConversation, createToolEnvironment } from "@waggle/agent";
import type { Tool } from "@waggle/protocol";
import { expect, test } from "vitest";
import { llamaFolder } from "../../../test/fixtures/llama-folder.ts";
import { createOwnModelOpener } from "./own-model-host.ts";

const files = new Map(llamaFolder().map(({ path, bytes }) => [path, bytes]));

function serve(url: string): Promise<Response> {
  const bytes = files.get(new URL(url).pathname.slice("/tiny/".length));
  return Promise.resolve(
    bytes === undefined
      ? new Response(null, { status: 404 })
      : new Response(bytes as Uint8Array<ArrayBuffer>),
  );
}

const LOOK: Tool = {
  definition: {
    name: "look",
    description: "Looks.",
    source: "page",
    parameters: { type: "object", properties: {} },
  },
  run: () => Promise.resolve("seen"),
};

test("a visitor's model answers, follows no manifest, and loads from storage the next time", async () => {
  const source = "https://models.example/tiny/";
  const details = new Set<string>();
  const open = createOwnModelOpener(
    { kind: "address", source, load: { fetch: serve } },
    { device: "wasm" },
  );
  const host = await open(
    () => Promise.reject(new Error("the site is not asked")),
    ({ detail }) => details.add(detail),
  );
  if (host.kind !== "policy") throw new Error("a model by address must be a policy");
  expect(host.followsSite).toBe(false);
  expect([...details]).toContain("starting");
  const conversation = createConversation({
    policy: host.policy,
    chatFormat: host.chatFormat,
    client: host.client,
    seed: 1,
    limits: { maxTurns: 1, maxTokensPerTurn: 24, timeoutMs: 0 },
    constrainToolCalls: true,
    consent: () => ({ version: "1", scopes: [], grantedAt: "2026-01-01T00:00:00.000Z" }),
    createEnvironment: (userMessage) =>
      createToolEnvironment({ system: "", tools: [LOOK], userMessage }),
  });
  const trajectory = await conversation.send("hello");
  // Random weights under a grammar: the worker compiled it, and the token limit ended the turn.
  const [id = ""] = Object.keys(trajectory.grammars ?? {});
  expect(trajectory.grammars?.[id]).toMatchObject({
    kind: "tool-calls",
    tools: [{ name: "look" }],
  });
  expect(trajectory.segments.at(-1)).toMatchObject({
    kind: "sampled",
    grammar: id,
    tokenBudget: 24,
    stopReason: "stop-token",
  });
  expect(trajectory.turns).toMatchObject([{ parseError: null }]);
  conversation.dispose();
  await host.dispose();

  const again = createOwnModelOpener(
    { kind: "address", source, load: { fetch: () => Promise.reject(new TypeError("offline")) } },
    { device: "wasm" },
  );
  const offline = await again(
    () => Promise.reject(new Error("the site is not asked")),
    () => undefined,
  );
  await offline.dispose();
});
