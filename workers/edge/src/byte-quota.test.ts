/** Upload limits: bytes per visitor, address prefix, group and lease, and lengths. */
import { DEFAULT_SITE } from "@waggle/protocol";
import type { LeaseResponse, Trajectory, UploadResponse } from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import { addressPrefix } from "./address-prefix.ts";
import { visitorQuotaName } from "./byte-quota.ts";
import { MAX_LEASE_BYTES } from "./leases/chosen-groups.ts";
import {
  ask,
  assign,
  asTrainer,
  bindings,
  call,
  freshEdge,
  lease,
  makeUpload,
  NOTHING,
  openSession,
  stored,
  type Upload,
  upload,
} from "./testing/edge.ts";

const MEBIBYTE = 1024 * 1024;
const HOUR_MS = 3_600_000;
let baseModel = "";
let token = "";

beforeEach(async () => {
  baseModel = await freshEdge();
  token = (await openSession()).token;
});

/** A tool result that is large when decoded and small when compressed. */
const withPadding = (bytes: number): Partial<Trajectory> => ({
  turns: [
    {
      segmentId: "s1",
      toolCalls: [],
      toolResults: [{ callId: "c0", ok: true, value: "x".repeat(bytes) }],
      parseError: null,
    },
  ],
});

async function sendZipped(example: Upload): Promise<{ sent: number; result: string }> {
  const text = JSON.stringify({ trajectories: [example] });
  const zipped = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  const raw = await new Response(zipped).arrayBuffer();
  const headers = { "content-type": "application/json", "content-encoding": "gzip" };
  const reply = await call("POST", "/v1/trajectories", { token, raw, headers });
  const { results } = reply.body as UploadResponse;
  const [first] = results;
  return {
    sent: raw.byteLength,
    result: first?.status === "rejected" ? first.code : (first?.status ?? ""),
  };
}

fault(
  "the decoded bytes of a group and of a lease are limited",
  { item: "1.4", before: "39 KB of gzip became an answer of 30 MB: the first group had no limit" },
  async () => {
    const examples: Upload[] = [];
    let sent = 0;
    const results: string[] = [];
    for (let i = 0; i < 3; i++) {
      const one = await makeUpload(baseModel, await assign(token), withPadding(3.5 * MEBIBYTE));
      examples.push(one);
      const reply = await sendZipped(one);
      sent += reply.sent;
      results.push(reply.result);
    }
    expect(results).toEqual(["accepted", "accepted", "PAYLOAD_TOO_LARGE"]);
    expect(sent).toBeLessThan(40_000);
    // A group of an earlier release without that limit is leased in parts.
    await bindings.DB.batch([
      bindings.DB.prepare("UPDATE trajectories SET sizeBytes = ?1").bind(MAX_LEASE_BYTES * 0.75),
      bindings.DB.prepare("UPDATE taskGroups SET deadlineAt = 0"),
    ]);
    const first = await lease();
    const second = await lease();
    expect([first, second].map(digestsOf).map((digests) => digests.length)).toEqual([1, 0]);
    await ask("POST", `/v1/trainer/leases/${first.leaseId}/acknowledge`, {
      ...asTrainer,
      body: {
        fencingToken: first.fencingToken,
        outcomes: digestsOf(first).map((digest) => ({ digest, status: "learned", step: 1 })),
      },
    });
    const rest = await lease();
    expect([...digestsOf(first), ...digestsOf(rest)].sort()).toEqual(
      examples
        .slice(0, 2)
        .map(({ digest }) => digest)
        .sort(),
    );
    const answer = JSON.stringify(first).length;
    expect(answer).toBeLessThan(MAX_LEASE_BYTES);
    return {
      after: `${Math.round(sent / 1024)} KB of gzip: 2 of 3 stored, answers of ${(answer / MEBIBYTE).toFixed(1)} MB, the group in 2 leases`,
    };
  },
);

const digestsOf = ({ groups }: LeaseResponse): string[] =>
  groups.flatMap(({ trajectories }) => trajectories.map(({ digest }) => digest));

test("numbers that grow in canonical form count at their stored size", async () => {
  const example = await makeUpload(baseModel, null, withPadding(4 * MEBIBYTE - 2000));
  // `1e15` has 4 bytes in the upload and 16 in the object.
  const grown = await makeUpload(baseModel, null, {
    turns: [
      {
        segmentId: "s1",
        toolCalls: [],
        parseError: null,
        toolResults: [
          { callId: "c0", ok: true, value: Array.from({ length: 300_000 }, () => 1e15) },
        ],
      },
    ],
  });
  expect(await sendZipped(example)).toMatchObject({ result: "accepted" });
  const text = JSON.stringify({ trajectories: [grown] }).replaceAll("1000000000000000", "1e15");
  expect(text.length).toBeLessThan(4 * MEBIBYTE);
  const reply = await call("POST", "/v1/trajectories", {
    token,
    raw: text,
    headers: { "content-type": "application/json" },
  });
  expect([reply.status, JSON.stringify(reply.body)]).toEqual([
    413,
    expect.stringContaining("PAYLOAD_TOO_LARGE"),
  ]);
});

/** Uses an hour's quota up to its last bytes. */
async function useUp(name: string, bytes: number): Promise<void> {
  await bindings.DB.prepare(
    "INSERT INTO uploadBytes (site, hour, name, bytes) VALUES ('default', ?1, ?2, ?3)",
  )
    .bind(Math.floor(Date.now() / HOUR_MS), name, bytes)
    .run();
}

fault(
  "bytes per hour of a visitor and a network are limited, and the page is told when to retry",
  { item: "1.4", before: "no limit: 6,000 requests of 4 MB a minute from one visitor" },
  async () => {
    const visitor = await openSession();
    await useUp(await visitorQuotaName(visitor.visitorId), 512 * MEBIBYTE - 100);
    const example = await makeUpload(baseModel, null);
    const body = { trajectories: [example] };
    const byVisitor = await call("POST", "/v1/trajectories", { token: visitor.token, body });
    expect(byVisitor.status).toBe(429);
    expect(Number(byVisitor.headers.get("retry-after"))).toBeGreaterThan(0);
    const headers = { "cf-connecting-ip": "203.0.113.7" };
    const request = new Request("https://edge.example/", { headers });
    await useUp(
      await addressPrefix(request, bindings.SESSION_SECRET, DEFAULT_SITE),
      2048 * MEBIBYTE - 100,
    );
    const byPrefix = await call("POST", "/v1/trajectories", { token, body, headers });
    expect(byPrefix.status).toBe(429);
    expect(await stored()).toEqual(NOTHING);
    // Another visitor from another network is not affected.
    expect((await upload(token, example)).results[0]?.status).toBe("accepted");
    return { after: "512 MiB of a visitor and 2 GiB of a /24 an hour, then 429 with Retry-After" };
  },
);

test("counts of past hours are deleted", async () => {
  await bindings.DB.prepare(
    "INSERT INTO uploadBytes (site, hour, name, bytes) VALUES ('default', 1, 'old', 5)",
  ).run();
  await upload(token, await makeUpload(baseModel, null));
  const { results } = await bindings.DB.prepare("SELECT hour, bytes FROM uploadBytes").all<{
    hour: number;
    bytes: number;
  }>();
  expect(results.map(({ hour }) => hour)).toEqual(
    results.map(() => Math.floor(Date.now() / HOUR_MS)),
  );
  expect(results.every(({ bytes }) => bytes > 500)).toBe(true);
});

fault(
  "a path longer than the model's context is refused at upload",
  { item: "1.4", before: "200,000 tokens a segment were stored and read by the trainer" },
  async () => {
    const known = await bindings.DB.prepare("SELECT reference FROM baseModel").first<{
      reference: string;
    }>();
    const long = await makeUpload(baseModel, null, {
      segments: [
        {
          kind: "given",
          id: "s0",
          parent: null,
          role: "user",
          tokenIds: Array.from({ length: 140_000 }, () => 1),
        },
      ],
      turns: [],
    });
    const unknown = await call("POST", "/v1/trajectories", {
      token,
      body: { trajectories: [long] },
    });
    expect(JSON.stringify(unknown.body)).toContain("140000 tokens");
    // An installation of an earlier release learns the context length at the trainer's next start.
    await ask("PUT", "/v1/trainer/base-model", {
      ...asTrainer,
      body: {
        baseModel: JSON.parse(known?.reference ?? "") as unknown,
        vocabularySize: 100,
        contextLength: 4,
      },
    });
    const five = await makeUpload(baseModel, null);
    const reply = await call("POST", "/v1/trajectories", { token, body: { trajectories: [five] } });
    expect([reply.status, JSON.stringify(reply.body)]).toEqual([
      400,
      expect.stringContaining(
        "a path of this trajectory has 5 tokens; the context of the base model has 4",
      ),
    ]);
    return {
      after: "140,000 tokens refused without a known context, 5 tokens with a context of 4",
    };
  },
);

test("a kept set larger than its top-k is refused", async () => {
  const example = await makeUpload(baseModel, null);
  const segments = example.trajectory.segments.map((segment) =>
    segment.kind === "given"
      ? segment
      : { ...segment, sampling: { ...segment.sampling, topK: 1 }, keptTokenIds: [[4, 5], null] },
  );
  const bad = await makeUpload(baseModel, null, { segments });
  const reply = await call("POST", "/v1/trajectories", { token, body: { trajectories: [bad] } });
  expect(JSON.stringify(reply.body)).toContain("a kept set has 2 ids; sampling kept the top 1");
});
