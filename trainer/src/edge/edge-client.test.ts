import { gunzipSync } from "node:zlib";
import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { createEdgeClient, type EdgeClient } from "./edge-client.ts";
import { PART_BYTES } from "./part-size.ts";

type Answer = { readonly status: number; readonly body: unknown } | Error;

/** A client over canned answers; the last one repeats. */
function clientOver(answers: readonly Answer[]): {
  client: EdgeClient;
  requests: Request[];
  waits: number[];
} {
  const requests: Request[] = [];
  const waits: number[] = [];
  const client = createEdgeClient({
    baseUrl: "http://edge.test/",
    credential: "secret",
    fetch: async (input, init) => {
      requests.push(new Request(input, init));
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error("no answer");
      return new Response(JSON.stringify(answer.body), { status: answer.status });
    },
    sleep: async (ms) => void waits.push(ms),
    random: () => 1,
  });
  return { client, requests, waits };
}

const LEASE_ID = "6f1c8d4e-0f5a-4c55-9d3c-1f2f3a4b5c6d";
const noLease = {
  status: 200,
  body: { leaseId: null, fencingToken: 0, expiresAt: "2026-01-01T00:00:00.000Z", groups: [] },
};
const request = { trainerId: "t", maxGroups: 2, durationSeconds: 60 };
const refused = (status: number, code: string): Answer => ({
  status,
  body: { error: { code, message: "why" } },
});

test("sends the credential and JSON, and returns the checked answer", async () => {
  const { client, requests } = clientOver([noLease]);
  expect(await client.lease(request)).toEqual({ ...noLease.body, unreadable: [] });
  expect(requests[0]?.url).toBe("http://edge.test/v1/trainer/leases");
  expect(requests[0]?.headers.get("authorization")).toBe("Bearer secret");
  expect(await requests[0]?.json()).toEqual(request);
});

test("a broken connection, a 5xx and a 429 are retried with increasing waits", async () => {
  const { client, requests, waits } = clientOver([
    new TypeError("fetch failed"),
    { status: 503, body: "not JSON of ours" },
    refused(429, "RATE_LIMITED"),
    noLease,
  ]);
  expect((await client.lease(request)).leaseId).toBeNull();
  expect(requests).toHaveLength(4);
  expect(waits).toEqual([250, 500, 1000]);
});

test("gives up after its last attempt with a retryable error", async () => {
  const { client, requests } = clientOver([new TypeError("fetch failed")]);
  const failure = await client.policies().catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "NETWORK", retryable: true });
  expect(requests).toHaveLength(6);
});

test("a refusal has the edge's error code and is not retried", async () => {
  const { client, requests } = clientOver([refused(409, "LEASE_LOST")]);
  const failure = await client
    .acknowledge(LEASE_ID, { fencingToken: 1, outcomes: [] })
    .catch((error: unknown) => error);
  expect(WaggleError.is(failure, "LEASE_LOST")).toBe(true);
  expect(requests).toHaveLength(1);
});

test("releasing a lease that is already lost is not an error", async () => {
  const { client } = clientOver([refused(409, "LEASE_LOST")]);
  await expect(client.release(LEASE_ID, 1)).resolves.toBeUndefined();
});

test("an answer that does not match its schema is refused, and the error names the field", async () => {
  const { client } = clientOver([{ status: 200, body: { leaseId: 7 } }]);
  await expect(client.lease(request)).rejects.toMatchObject({
    code: "SCHEMA_INVALID",
    message: expect.stringContaining("leaseId"),
  });
});

test("uploads bytes of any size", async () => {
  const { client, requests } = clientOver([{ status: 200, body: { sizeBytes: 1234 } }]);
  await client.putObject("a".repeat(64), new Uint8Array(1234).fill(7));
  expect((await requests[0]?.arrayBuffer())?.byteLength).toBe(1234);
});

test("an object is sent once as it is, and once compressed where that saves something", async () => {
  const sha256 = "a".repeat(64);
  const { client, requests } = clientOver([{ status: 200, body: { sizeBytes: 1 } }]);
  const bytes = new Uint8Array(1234).fill(7);
  await client.putObject(sha256, bytes);
  await client.putObject(sha256, crypto.getRandomValues(new Uint8Array(1234)));
  expect(requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
    `PUT /v1/trainer/objects/${sha256}`,
    `PUT /v1/trainer/objects/${sha256}/gzip`,
    `PUT /v1/trainer/objects/${sha256}`,
  ]);
  const sent = new Uint8Array((await requests[1]?.arrayBuffer()) ?? []);
  expect(new Uint8Array(gunzipSync(sent))).toEqual(bytes);
  // The bytes themselves are the object; the edge must not decode them.
  expect(requests[1]?.headers.get("content-encoding")).toBeNull();
});

test.each([
  ["an edge of the previous release", refused(404, "NOT_FOUND")],
  ["an edge that may not compute for so long", { status: 503, body: "exceeded CPU" }],
  ["an edge that takes no body of this size", refused(413, "PAYLOAD_TOO_LARGE")],
])("%s gets an object without its compressed form", async (_, answer) => {
  const { client, requests } = clientOver([{ status: 200, body: { sizeBytes: 1 } }, answer]);
  await client.putObject("a".repeat(64), new Uint8Array(1234));
  expect(requests[1]?.url).toMatch(/\/gzip$/);
});

test("an object of more than one part is not compressed", async () => {
  const { client, requests } = clientOver([{ status: 200, body: { sizeBytes: 1 } }]);
  await client.putObject("a".repeat(64), new Uint8Array(PART_BYTES + 1));
  expect(requests).toHaveLength(1);
});

test("says in which form the edge has an object", async () => {
  const answers = [
    new Response(null, { headers: { "content-encoding": "gzip" } }),
    new Response(null),
    new Response("{}", { status: 404 }),
  ];
  const client = createEdgeClient({
    baseUrl: "http://edge.test",
    credential: "secret",
    fetch: async () => answers.shift() as Response,
  });
  const hash = "a".repeat(64);
  expect(await client.storedForm(hash)).toBe("gzip");
  expect(await client.storedForm(hash)).toBe("plain");
  expect(await client.storedForm(hash)).toBeNull();
});
