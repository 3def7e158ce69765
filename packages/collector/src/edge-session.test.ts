import { expect, test } from "vitest";
import { ACCEPT_SILENCE } from "@waggle/protocol";
import { createTestClock } from "@waggle/testing";
import { createConsentStore } from "./consent-store.ts";
import { createEdgeSession } from "./edge-session.ts";
import type { Fetch } from "./edge-session.ts";
import { createFakeEdge } from "./fake-edge.fixture.ts";
import { createMemoryStorage } from "./key-value-storage.ts";

const MANIFEST = {
  channel: "stable",
  policy: {
    version: 4,
    parent: 3,
    baseModel: "b".repeat(64),
    adapter: null,
    status: "stable",
    evaluation: null,
    step: 40,
    publishedAt: "2026-11-20T00:00:00.000Z",
  },
  baseModel: {
    sha256: "b".repeat(64),
    files: [{ path: "config.json", sha256: "c".repeat(64), sizeBytes: 10 }],
  },
};

const bodyOf = (init: RequestInit | undefined): string =>
  typeof init?.body === "string" ? init.body : "";

const consent = createConsentStore({ storage: createMemoryStorage(), currentVersion: "1" });
consent.grant();
const options = { edgeUrl: "https://edge.example/", siteKey: "site", consent };

test("concurrent calls open one session", async () => {
  const edge = createFakeEdge();
  const session = createEdgeSession({
    ...options,
    storage: createMemoryStorage(),
    fetch: edge.fetch,
  });
  expect(await Promise.all([session.token(), session.token()])).toEqual(["token-1", "token-1"]);
  expect(session.channel).toBe("stable");
});

test("a token is renewed before it expires, for the same visitor", async () => {
  let now = 0;
  const bodies: string[] = [];
  const edge = createFakeEdge(() => now);
  const fetch: Fetch = (url, init) => {
    bodies.push(bodyOf(init));
    return edge.fetch(url, init);
  };
  const storage = createMemoryStorage();
  const session = createEdgeSession({ ...options, storage, fetch, clock: () => now });
  await session.token();
  now = 569_999;
  expect(await session.token()).toBe("token-1");
  now = 570_000;
  expect(await session.token()).toBe("token-2");
  expect(bodies).toEqual(['{"siteKey":"site"}', '{"siteKey":"site","visitorToken":"visitor"}']);
});

test("a visitor token that the edge no longer knows is replaced by a new visitor", async () => {
  const storage = createMemoryStorage();
  storage.setItem("waggle.visitorToken", "of a deleted visitor");
  const edge = createFakeEdge();
  const fetch: Fetch = (url, init) =>
    bodyOf(init).includes("deleted")
      ? Promise.resolve(
          Response.json({ error: { code: "UNAUTHENTICATED", message: "no" } }, { status: 401 }),
        )
      : edge.fetch(url, init);
  await createEdgeSession({ ...options, storage, fetch }).token();
  expect(storage.getItem("waggle.visitorToken")).toBe("visitor");
});

test("an unchanged manifest answers 304, and the last manifest is stored for offline starts", async () => {
  const asked: (string | null)[] = [];
  const edge = createFakeEdge();
  const fetch: Fetch = (url, init) => {
    if (!url.endsWith("/v1/policy")) return edge.fetch(url, init);
    const tag = new Headers(init?.headers).get("if-none-match");
    asked.push(tag);
    return Promise.resolve(
      tag === '"v4"'
        ? new Response(null, { status: 304 })
        : Response.json(MANIFEST, { headers: { etag: '"v4"' } }),
    );
  };
  const storage = createMemoryStorage();
  const session = createEdgeSession({ ...options, storage, fetch });
  expect(session.storedManifest()).toBeNull();
  expect(await session.policyManifest()).toEqual(MANIFEST);
  expect(await session.policyManifest()).toEqual(MANIFEST);
  expect(asked).toEqual([null, '"v4"']);
  expect(createEdgeSession({ ...options, storage, fetch }).storedManifest()).toEqual(MANIFEST);
});

test("a page accepts silenced manifests and reads the flag", async () => {
  const edge = createFakeEdge();
  const accepted: (string | null)[] = [];
  const fetch: Fetch = (url, init) => {
    if (!url.endsWith("/v1/policy")) return edge.fetch(url, init);
    accepted.push(new Headers(init?.headers).get("accept"));
    return Promise.resolve(Response.json({ ...MANIFEST, silenced: true }));
  };
  const session = createEdgeSession({ ...options, storage: createMemoryStorage(), fetch });
  expect((await session.policyManifest()).silenced).toBe(true);
  expect(accepted).toEqual([ACCEPT_SILENCE]);
});

test("a refusal has the edge's code, and a network failure is retryable", async () => {
  const refusing: Fetch = () =>
    Promise.resolve(
      Response.json({ error: { code: "FORBIDDEN", message: "unknown site" } }, { status: 403 }),
    );
  const storage = createMemoryStorage();
  const refused = createEdgeSession({ ...options, storage, fetch: refusing });
  await expect(refused.token()).rejects.toMatchObject({ code: "FORBIDDEN", retryable: false });
  const offline = createEdgeSession({
    ...options,
    storage,
    fetch: () => Promise.reject(new TypeError("Failed to fetch")),
  });
  await expect(offline.token()).rejects.toMatchObject({ code: "NETWORK", retryable: true });
});

test("204 and 429 answers to an assignment are retryable errors with the edge's delay", async () => {
  const edge = createFakeEdge();
  const answers = [
    new Response(null, { status: 204, headers: { "retry-after": "2" } }),
    Response.json(
      { error: { code: "RATE_LIMITED", message: "too much" } },
      { status: 429, headers: { "retry-after": "37" } },
    ),
  ];
  const fetch: Fetch = (url, init) => {
    const answer = url.endsWith("/v1/assignments") ? answers.shift() : undefined;
    return answer === undefined ? edge.fetch(url, init) : Promise.resolve(answer);
  };
  const session = createEdgeSession({ ...options, storage: createMemoryStorage(), fetch });
  const limited = { code: "RATE_LIMITED", retryable: true };
  await expect(session.assignment()).rejects.toMatchObject({ ...limited, retryAfterMs: 2000 });
  await expect(session.assignment()).rejects.toMatchObject({ ...limited, retryAfterMs: 37_000 });
});

test("an edge URL without a scheme is refused", () => {
  expect(() =>
    createEdgeSession({ ...options, edgeUrl: "edge.example", storage: createMemoryStorage() }),
  ).toThrow(/http/);
});

const hanging = (path: string, edge = createFakeEdge()): Fetch => {
  return (url, init) => (url.endsWith(path) ? new Promise(() => undefined) : edge.fetch(url, init));
};

test.each(["/v1/sessions", "/v1/policy"])(
  "a request to %s without an answer fails after 20 s",
  async (path) => {
    const clock = createTestClock();
    const session = createEdgeSession({
      ...options,
      storage: createMemoryStorage(),
      fetch: hanging(path),
      schedule: clock.schedule,
    });
    let failure: unknown = null;
    const asked = session.policyManifest().catch((error: unknown) => (failure = error));
    clock.advance(19_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(failure).toBeNull();
    clock.advance(1);
    await asked;
    expect(failure).toMatchObject({ code: "NETWORK", retryable: true });
  },
);

test("the time limit includes the response body", async () => {
  const clock = createTestClock();
  const session = createEdgeSession({
    ...options,
    storage: createMemoryStorage(),
    fetch: () => Promise.resolve(new Response(new ReadableStream())),
    schedule: clock.schedule,
  });
  const asked = session.token();
  clock.advance(20_000);
  await expect(asked).rejects.toMatchObject({ code: "NETWORK", retryable: true });
});

test("after a session fails to open, the next call opens one", async () => {
  const clock = createTestClock();
  const edge = createFakeEdge();
  let fetch = hanging("/v1/sessions");
  const session = createEdgeSession({
    ...options,
    storage: createMemoryStorage(),
    fetch: (url, init) => fetch(url, init),
    schedule: clock.schedule,
  });
  const asked = session.token();
  clock.advance(20_000);
  await expect(asked).rejects.toMatchObject({ code: "NETWORK" });
  fetch = edge.fetch;
  expect(await session.token()).toBe("token-1");
});

test("a caller's abort ends its wait and aborts the request", async () => {
  const controller = new AbortController();
  const signals: (AbortSignal | null | undefined)[] = [];
  const edge = createFakeEdge();
  const session = createEdgeSession({
    ...options,
    storage: createMemoryStorage(),
    fetch: (url, init) => {
      if (!url.endsWith("/v1/policy")) return edge.fetch(url, init);
      signals.push(init?.signal);
      controller.abort();
      return new Promise(() => undefined);
    },
  });
  await expect(session.policyManifest(controller.signal)).rejects.toMatchObject({
    name: "AbortError",
  });
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
});

test.each(["/v1/sessions", "/v1/policy"])(
  "an answer of %s that arrives after clear stores nothing",
  async (path) => {
    const storage = createMemoryStorage();
    const edge = createFakeEdge();
    const session = createEdgeSession({
      ...options,
      storage,
      fetch: (url, init) => {
        if (url.endsWith(path)) session.clear();
        return url.endsWith("/v1/policy")
          ? Promise.resolve(Response.json(MANIFEST))
          : edge.fetch(url, init);
      },
    });
    await (path === "/v1/policy" ? session.policyManifest() : session.token());
    expect(storage.getItem("waggle.visitorToken")).toBeNull();
    expect(session.visitorId).toBeNull();
    expect(session.storedManifest()).toBeNull();
  },
);

test("seeds of the session are taken in order and once, also after the session was renewed", async () => {
  let now = 0;
  const edge = createFakeEdge(() => now);
  const fetch: Fetch = async (url, init) => {
    const answer = await edge.fetch(url, init);
    if (!url.endsWith("/v1/sessions")) return answer;
    const opened = (await answer.json()) as object;
    return Response.json({ ...opened, requestSeeds: edge.sessions === 1 ? [7, 8] : [8, 9] });
  };
  const session = createEdgeSession({
    ...options,
    storage: createMemoryStorage(),
    fetch,
    clock: () => now,
  });
  expect(session.takeSeed()).toBeNull();
  await session.token();
  expect([session.takeSeed(), session.takeSeed(), session.takeSeed()]).toEqual([7, 8, null]);
  now = 600_000;
  await session.token();
  expect([session.takeSeed(), session.takeSeed()]).toEqual([9, null]);
  session.clear();
  expect(session.takeSeed()).toBeNull();
});
