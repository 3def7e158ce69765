import {
  DEFAULT_SITE,
  type AssignmentResponse,
  spanSeed,
  TRAJECTORY_SCHEMA_VERSION,
  UPLOAD_LIMITS,
} from "@waggle/protocol";
import { signToken } from "../session-token.ts";
import {
  assign,
  bindings,
  call,
  freshEdge,
  lease,
  makeUpload,
  NOTHING,
  openSession,
  type Reply,
  stored,
  type Upload,
  upload,
  work,
} from "../testing/edge.ts";
import { beforeEach, describe, expect, test } from "vitest";

let baseModel = "";
let token = "";

beforeEach(async () => {
  baseModel = await freshEdge();
  token = (await openSession()).token;
});

const send = (body: unknown, as = token): Promise<Reply> =>
  call("POST", "/v1/trajectories", { token: as, body });

const sendOne = (example: Upload, as = token): Promise<Reply> =>
  send({ trajectories: [example] }, as);

const sendRaw = (raw: BodyInit, headers: Record<string, string> = {}): Promise<Reply> =>
  call("POST", "/v1/trajectories", {
    token,
    raw,
    headers: { "content-type": "application/json", ...headers },
  });

const gzip = (data: string | Uint8Array): Promise<ArrayBuffer> =>
  new Response(new Blob([data]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();

/** Outcome of a request: status, code, and stored rows and objects. */
async function outcome(reply: Reply): Promise<object> {
  return { status: reply.status, body: reply.body, stored: await stored() };
}

const refusal = (status: number, code: string): object => ({
  status,
  body: { error: { code } },
  stored: NOTHING,
});

describe("accepted uploads", () => {
  test("an assigned trajectory is stored once as object and row, and repeating it is a duplicate", async () => {
    const example = await makeUpload(baseModel, await assign(token));
    expect(await upload(token, example)).toEqual({
      results: [{ digest: example.digest, status: "accepted" }],
    });
    expect(await upload(token, example)).toEqual({
      results: [{ digest: example.digest, status: "duplicate" }],
    });
    expect(await stored()).toEqual({ rows: 1, objects: 1 });
  });

  test("a gzip body is accepted like a plain one", async () => {
    const example = await makeUpload(baseModel, null);
    const body = await gzip(JSON.stringify({ trajectories: [example] }));
    const reply = await sendRaw(body, { "content-encoding": "gzip" });
    expect(reply.body).toEqual({ results: [{ digest: example.digest, status: "accepted" }] });
  });

  test("one refused trajectory does not stop its neighbors", async () => {
    const good = await makeUpload(baseModel, null);
    const bad = await makeUpload("f".repeat(64), null);
    const reply = await send({ trajectories: [bad, good] });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      results: [
        { digest: bad.digest, status: "rejected", code: "POLICY_VERSION_UNKNOWN" },
        { digest: good.digest, status: "accepted" },
      ],
    });
    expect(await stored()).toEqual({ rows: 1, objects: 1 });
  });

  test("a leased trajectory has the digest that was uploaded", async () => {
    const example = await makeUpload(baseModel, null);
    await upload(token, example);
    const { groups } = await lease();
    expect(groups[0]?.trajectories[0]?.trajectory).toEqual(example.trajectory);
    expect(groups[0]?.trajectories[0]?.digest).toBe(example.digest);
  });
});

describe("authentication", () => {
  test("a missing token is refused", async () => {
    const example = await makeUpload(baseModel, null);
    const reply = await call("POST", "/v1/trajectories", { body: { trajectories: [example] } });
    expect(await outcome(reply)).toMatchObject(refusal(401, "UNAUTHENTICATED"));
  });

  test("a forged, an expired and a visitor's own long-lived token are refused", async () => {
    const visitorId = crypto.randomUUID();
    const secret = bindings.SESSION_SECRET;
    const now = Date.now();
    const tokens = [
      await signToken("waggle-session", { site: DEFAULT_SITE, visitorId }, 900, `${secret}!`, now),
      await signToken(
        "waggle-session",
        { site: DEFAULT_SITE, visitorId },
        900,
        secret,
        now - 901_000,
      ),
      await signToken("waggle-visitor", { site: DEFAULT_SITE, visitorId }, 900, secret, now),
      `${btoa('{"alg":"none","typ":"JWT"}')}.${btoa(`{"sub":"${visitorId}"}`)}.`,
    ];
    const example = await makeUpload(baseModel, null);
    for (const forged of tokens) {
      expect(await outcome(await sendOne(example, forged))).toMatchObject(
        refusal(401, "UNAUTHENTICATED"),
      );
    }
  });

  test("the operator's credential opens no session", async () => {
    const example = await makeUpload(baseModel, null);
    expect(await outcome(await sendOne(example, bindings.OPERATOR_CREDENTIAL))).toMatchObject(
      refusal(401, "UNAUTHENTICATED"),
    );
  });
});

describe("the body", () => {
  test("a declared size over the limit is refused", async () => {
    const reply = await sendRaw("x".repeat(UPLOAD_LIMITS.bodyBytes + 1));
    expect(await outcome(reply)).toMatchObject(refusal(413, "PAYLOAD_TOO_LARGE"));
  });

  test("a streamed body without a length is cut at the limit", async () => {
    const block = new TextEncoder().encode(" ".repeat(256 * 1024));
    const blocks = UPLOAD_LIMITS.bodyBytes / block.byteLength + 1;
    let sent = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent++ < blocks) controller.enqueue(block);
        else controller.close();
      },
    });
    expect(await outcome(await sendRaw(stream))).toMatchObject(refusal(413, "PAYLOAD_TOO_LARGE"));
  });

  test("a gzip bomb is cut at the decoded limit", async () => {
    const bomb = await gzip(new Uint8Array(UPLOAD_LIMITS.bodyBytes * 8));
    expect(bomb.byteLength).toBeLessThan(UPLOAD_LIMITS.bodyBytes / 50);
    const reply = await sendRaw(bomb, { "content-encoding": "gzip" });
    expect(await outcome(reply)).toMatchObject(refusal(413, "PAYLOAD_TOO_LARGE"));
  });

  test("corrupt gzip, an unknown encoding and another type are refused", async () => {
    expect(await outcome(await sendRaw("not gzip", { "content-encoding": "gzip" }))).toMatchObject(
      refusal(400, "SCHEMA_INVALID"),
    );
    expect(await outcome(await sendRaw("{}", { "content-encoding": "br" }))).toMatchObject(
      refusal(415, "UNSUPPORTED_MEDIA_TYPE"),
    );
    expect(await outcome(await sendRaw("{}", { "content-type": "text/plain" }))).toMatchObject(
      refusal(415, "UNSUPPORTED_MEDIA_TYPE"),
    );
  });

  test("malformed JSON is refused and not echoed", async () => {
    const reply = await sendRaw('{"trajectories": [secret-of-a-visitor');
    expect(await outcome(reply)).toMatchObject(refusal(400, "SCHEMA_INVALID"));
    expect(JSON.stringify(reply.body)).not.toContain("secret-of-a-visitor");
  });

  test("nesting that would overflow a parser's stack is refused", async () => {
    const depth = 100_000;
    const reply = await sendRaw(`{"trajectories":${"[".repeat(depth)}${"]".repeat(depth)}}`);
    expect(await outcome(reply)).toMatchObject(refusal(400, "SCHEMA_INVALID"));
  });

  test("brackets inside strings are not nesting", async () => {
    const example = await makeUpload(baseModel, null, {
      client: {
        build: "[".repeat(60),
        backend: "wasm",
        device: '"\\[',
        crossOriginIsolated: false,
      },
    });
    expect((await sendOne(example)).status).toBe(200);
  });

  test("zero or too many trajectories are refused", async () => {
    expect(await outcome(await send({ trajectories: [] }))).toMatchObject(
      refusal(400, "SCHEMA_INVALID"),
    );
    const example = await makeUpload(baseModel, null);
    const many = Array.from({ length: UPLOAD_LIMITS.trajectories + 1 }, () => example);
    expect(await outcome(await send({ trajectories: many }))).toMatchObject(
      refusal(400, "SCHEMA_INVALID"),
    );
  });
});

describe("the trajectory", () => {
  test("an extra field, a missing field and another schema version are refused", async () => {
    const example = await makeUpload(baseModel, null);
    const extra = { ...example, trajectory: { ...example.trajectory, reward: 1 } };
    expect(await outcome(await send({ trajectories: [extra] }))).toMatchObject(
      refusal(400, "SCHEMA_INVALID"),
    );
    const { client: _, ...lacking } = example.trajectory;
    expect(
      await outcome(await send({ trajectories: [{ ...example, trajectory: lacking }] })),
    ).toMatchObject(refusal(400, "SCHEMA_INVALID"));
    const newer = { ...example.trajectory, schemaVersion: TRAJECTORY_SCHEMA_VERSION + 1 };
    expect(
      await outcome(await send({ trajectories: [{ ...example, trajectory: newer }] })),
    ).toMatchObject(refusal(400, "SCHEMA_VERSION_UNSUPPORTED"));
  });

  test("a digest of other content is refused", async () => {
    const example = await makeUpload(baseModel, null);
    const edited = {
      ...example,
      trajectory: { ...example.trajectory, stopReason: "timeout" as const },
    };
    expect(await outcome(await sendOne(edited))).toMatchObject(refusal(400, "DIGEST_MISMATCH"));
  });

  test("consent that does not cover training is refused", async () => {
    for (const scopes of [[], ["collect"], ["train"]] as ("collect" | "train")[][]) {
      const consent = { version: "1", scopes, grantedAt: "2026-11-20T12:00:00.000Z" };
      const example = await makeUpload(baseModel, null, { consent });
      expect(await outcome(await sendOne(example))).toMatchObject(refusal(403, "CONSENT_MISSING"));
    }
  });

  test("token ids beyond the vocabulary are refused, also in a kept set", async () => {
    const { trajectory } = await makeUpload(baseModel, null);
    const [given, sampled] = trajectory.segments;
    if (given?.kind !== "given" || sampled?.kind !== "sampled") throw new Error("fixture");
    const beyond = await makeUpload(baseModel, null, {
      segments: [{ ...given, tokenIds: [1, 100] }, sampled],
    });
    expect(await outcome(await sendOne(beyond))).toMatchObject(refusal(400, "SCHEMA_INVALID"));
    const kept = await makeUpload(baseModel, null, {
      segments: [given, { ...sampled, keptTokenIds: [null, [5, 100]] }],
    });
    expect(await outcome(await sendOne(kept))).toMatchObject(refusal(400, "SCHEMA_INVALID"));
    const last = await makeUpload(baseModel, null, {
      segments: [{ ...given, tokenIds: [99] }, sampled],
    });
    expect((await sendOne(last)).status).toBe(200);
  });

  test("an unpublished policy version is refused, in the header or in a segment", async () => {
    const header = await makeUpload(baseModel, null, { policyVersion: 1 });
    expect(await outcome(await sendOne(header))).toMatchObject(
      refusal(409, "POLICY_VERSION_UNKNOWN"),
    );
    const segments = header.trajectory.segments.map((segment) =>
      segment.kind === "sampled" ? { ...segment, policyVersion: 3 } : segment,
    );
    const inside = await makeUpload(baseModel, null, { segments });
    expect(await outcome(await sendOne(inside))).toMatchObject(
      refusal(409, "POLICY_VERSION_UNKNOWN"),
    );
  });

  test("another base model is refused", async () => {
    const example = await makeUpload("0".repeat(64), null);
    expect(await outcome(await sendOne(example))).toMatchObject(
      refusal(409, "POLICY_VERSION_UNKNOWN"),
    );
  });
});

describe("the assignment", () => {
  test("another visitor's assignment is refused", async () => {
    const theirs = await assign((await openSession()).token);
    expect(await outcome(await sendOne(await makeUpload(baseModel, theirs)))).toMatchObject(
      refusal(409, "ASSIGNMENT_MISMATCH"),
    );
  });

  test("an unassigned task, an invented assignment and a hidden one are refused", async () => {
    const mine = await assign(token);
    const other: AssignmentResponse = { ...mine, task: { ...mine.task, seed: mine.task.seed + 1 } };
    const invented: AssignmentResponse = { ...mine, assignmentId: crypto.randomUUID() };
    const requests = [
      await makeUpload(baseModel, other),
      await makeUpload(baseModel, invented),
      await makeUpload(baseModel, mine, { assignmentId: null }),
      await makeUpload(baseModel, mine, { task: null }),
    ];
    for (const example of requests) {
      expect(await outcome(await sendOne(example))).toMatchObject(
        refusal(409, "ASSIGNMENT_MISMATCH"),
      );
    }
  });

  test("every assignment has a seed, and an upload that names it is stored as such", async () => {
    const [mine, other] = [await assign(token), await assign(token)];
    const { samplingSeed = -1 } = mine;
    expect(samplingSeed).not.toBe(other.samplingSeed);
    const drawn = await makeUpload(baseModel, mine);
    const seeded = await makeUpload(baseModel, mine, {
      samplingSeed,
      segments: drawn.trajectory.segments.map((segment) =>
        segment.kind === "given"
          ? segment
          : { ...segment, sampling: { ...segment.sampling, seed: spanSeed(samplingSeed, 0) } },
      ),
    });
    const pretended = await makeUpload(baseModel, mine, { samplingSeed });
    expect(await outcome(await sendOne(pretended))).toMatchObject(refusal(409, "SEED_MISMATCH"));
    await upload(token, seeded, await makeUpload(baseModel, other));
    const { results } = await bindings.DB.prepare(
      "SELECT assignmentId, samplingSeed FROM trajectories",
    ).all();
    expect(results).toContainEqual({ assignmentId: mine.assignmentId, samplingSeed });
    expect(results).toContainEqual({ assignmentId: other.assignmentId, samplingSeed: null });
  });

  test("an assignment is used once", async () => {
    const mine = await assign(token);
    await upload(token, await makeUpload(baseModel, mine));
    const second = await sendOne(await makeUpload(baseModel, mine));
    expect(second.body).toMatchObject({ error: { code: "ASSIGNMENT_MISMATCH" } });
    expect(await stored()).toEqual({ rows: 1, objects: 1 });
  });

  test("of two concurrent uploads for one assignment exactly one is stored", async () => {
    const mine = await assign(token);
    const both = await Promise.all([makeUpload(baseModel, mine), makeUpload(baseModel, mine)]);
    const replies = await Promise.all(both.map((example) => sendOne(example)));
    expect(replies.map((reply) => reply.status).sort((a, b) => a - b)).toEqual([200, 409]);
    expect(await stored()).toEqual({ rows: 1, objects: 1 });
  });
});

describe("replays", () => {
  test("the same id with other content is refused", async () => {
    const first = await work(token, baseModel);
    const again = await makeUpload(baseModel, await assign(token), { id: first.trajectory.id });
    expect((await sendOne(again)).body).toMatchObject({ error: { code: "REPLAYED" } });
    expect(await stored()).toEqual({ rows: 1, objects: 1 });
  });

  test("another visitor cannot upload the same trajectory", async () => {
    const example = await makeUpload(baseModel, null);
    await upload(token, example);
    const thief = (await openSession()).token;
    expect((await sendOne(example, thief)).body).toMatchObject({ error: { code: "REPLAYED" } });
    expect(await stored()).toEqual({ rows: 1, objects: 1 });
  });
});
