/** Reputations, from the outcomes of the trainer to the weight in the next lease and the operator's list. */
import {
  DEFAULT_SITE,
  type QuarantineResponse,
  spanSeed,
  type TrajectoryOutcome,
} from "@waggle/protocol";
import { runInDurableObject } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import {
  ask,
  asOperator,
  asTrainer,
  bindings,
  call,
  freshEdge,
  lease,
  makeUpload,
  openSession,
  rows,
} from "../testing/edge.ts";
import { assignTask } from "../assignment-store.ts";
import { coordinatorOf } from "../coordinator.ts";
import { evidenceOf } from "./reputation-store.ts";

type Session = Awaited<ReturnType<typeof openSession>>;
type Outcome = Omit<TrajectoryOutcome, "digest">;

const FORGED: Outcome = { status: "rejected", reason: "not-drawn-from-seed", logProbGapMean: 0.1 };
const LEARNED: Outcome = { status: "learned", step: 1, logProbGapMean: 0, drawMismatches: 0 };
const DAY = 86_400_000;
let baseModel = "";

beforeEach(async () => {
  baseModel = await freshEdge();
});

/** Uploads a request from an address. */
async function send({ token }: Session, address: string): Promise<string> {
  const example = await makeUpload(baseModel, null);
  await ask("POST", "/v1/trajectories", {
    token,
    body: { trajectories: [example] },
    headers: { "cf-connecting-ip": address },
  });
  return example.digest;
}

/** Acknowledges one upload with this outcome. @returns the weight and network that its lease named */
async function judge(session: Session, outcome: Outcome, address = "203.0.113.7") {
  await send(session, address);
  const { leaseId, fencingToken, groups } = await lease();
  const leased = groups[0]?.trajectories[0];
  const outcomes = [{ ...outcome, digest: leased?.digest }];
  const body = { fencingToken, outcomes };
  await ask("POST", `/v1/trainer/leases/${leaseId}/acknowledge`, { ...asTrainer, body });
  return leased;
}

const quarantine = async (): Promise<QuarantineResponse["senders"]> =>
  (await ask<QuarantineResponse>("GET", "/v1/operator/quarantine", asOperator)).senders;
const release = (sender: string) =>
  call("POST", `/v1/operator/quarantine/${sender}/release`, asOperator);

test("a forged record leads to quarantine, which the next lease shows, and verified work ends it", async () => {
  const session = await openSession();
  expect((await judge(session, FORGED))?.reputation).toBeUndefined();
  const held = await judge(session, { ...LEARNED, status: "skipped", reason: "quarantined" });
  expect(held?.reputation).toBe(0);
  expect(await evidenceOf(rows, session.visitorId)).toEqual({ verified: 1, forged: 1, dropped: 0 });
  for (let i = 0; i < 9; i += 1) await judge(session, LEARNED);
  // (3 + 10) / (4 + 10 + 12), as a share of 0.75.
  expect((await judge(session, LEARNED))?.reputation).toBeCloseTo(2 / 3, 12);
});

test("each reason counts as what it shows, and what shows nothing does not count", async () => {
  const session = await openSession();
  const { visitorId } = session;
  const skipped: Outcome = { status: "skipped" };
  await judge(session, { ...skipped, reason: "no-signal", logProbGapMean: 0, drawMismatches: 0 });
  await judge(session, { ...skipped, reason: "no-train-consent" });
  await judge(session, { ...skipped, reason: "aborted" });
  await judge(session, { status: "rejected", reason: "replay-mismatch at turn 2" });
  await judge(session, { status: "rejected", reason: "base-model-mismatch" });
  expect(await evidenceOf(rows, visitorId)).toEqual({ verified: 1, forged: 0, dropped: 2 });
});

test("a record that could not be drawn again counts as nothing, and ends no quarantine", async () => {
  const session = await openSession();
  const { drawMismatches: _, ...foreign } = LEARNED;
  await judge(session, FORGED);
  for (let i = 0; i < 4; i += 1) await judge(session, foreign);
  expect(await evidenceOf(rows, session.visitorId)).toEqual({ verified: 0, forged: 1, dropped: 0 });
  expect((await judge(session, LEARNED))?.reputation).toBe(0);
});

test("a lease names the network and the site key by hashes, and a network has one /48", async () => {
  const [first, second] = [await openSession(), await openSession()];
  const a = await judge(first, LEARNED, "2001:db8:1:2::1");
  const b = await judge(second, LEARNED, "2001:db8:1:3::1");
  const c = await judge(second, LEARNED, "2001:db8:2:3::1");
  expect(a?.network).toMatch(/^[0-9a-f]{64}$/);
  expect(b?.network).toBe(a?.network);
  expect(c?.network).not.toBe(a?.network);
  expect(a?.siteKey).toMatch(/^[0-9a-f]{16}$/);
  expect(await evidenceOf(rows, a?.network ?? "")).toMatchObject({ verified: 2 });
});

test("new names on a bad network start in quarantine, and others do not", async () => {
  for (let i = 0; i < 3; i += 1) await judge(await openSession(), FORGED, "198.51.100.9");
  expect((await judge(await openSession(), LEARNED, "198.51.100.77"))?.reputation).toBe(0);
  expect((await judge(await openSession(), LEARNED, "198.51.101.77"))?.reputation).toBeUndefined();
  const kinds = (await quarantine()).map(({ kind }) => kind);
  expect(kinds).toEqual(["network", "visitor", "visitor", "visitor"]);
});

test("an id that replaces another has no record, and no row of the edge has both", async () => {
  const before = await openSession();
  await judge(before, LEARNED);
  await judge(before, LEARNED);
  const after = await openSession();
  expect(await evidenceOf(rows, before.visitorId)).toMatchObject({ verified: 2 });
  expect(await evidenceOf(rows, after.visitorId)).toBeNull();
  expect((await judge(after, LEARNED))?.reputation).toBeUndefined();
  const network = await bindings.DB.prepare(
    "SELECT verified FROM reputations WHERE kind = 'network'",
  ).all();
  expect(network.results).toEqual([{ verified: 3 }]);
  const { results: tables } = await bindings.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%site%'",
  ).all<{ name: string }>();
  const all: string[] = [];
  for (const { name } of tables) {
    const { results } = await bindings.DB.prepare(`SELECT * FROM "${name}"`).all();
    all.push(...results.map((row) => JSON.stringify(row)));
  }
  const having = (id: string) => all.filter((row) => row.includes(id));
  expect(having(before.visitorId).length).toBeGreaterThan(0);
  expect(having(after.visitorId).filter((row) => row.includes(before.visitorId))).toEqual([]);
});

test("an operator sees who is in quarantine and why, and can end it", async () => {
  const session = await openSession();
  await judge(session, FORGED);
  await judge(session, { status: "rejected", reason: "log-prob-gap" });
  const [held] = await quarantine();
  expect(held).toMatchObject({
    id: session.visitorId,
    kind: "visitor",
    forged: 2,
    verified: 0,
    reason: "log-prob-gap",
  });
  expect((await release(session.visitorId)).status).toBe(200);
  expect(await quarantine()).toEqual([]);
  expect((await judge(session, LEARNED))?.reputation).toBeUndefined();
  const log = await call("GET", "/v1/operator/audit", asOperator);
  expect(log.body).toMatchObject({ entries: [{ action: "release-sender" }] });
  // The log keeps no id of a visitor.
  expect(JSON.stringify(log.body)).not.toContain(session.visitorId);
  expect((await release(crypto.randomUUID())).status).toBe(404);
});

test("an unanswered task counts until it is answered late", async () => {
  const { token, visitorId } = await openSession();
  const asker = { visitorId, addressPrefix: "a" };
  const options = {
    environment: "rooms",
    firstSeed: 1,
    groupSize: 2,
    deadlineMs: 60_000,
    maxUnfinishedGroups: 0,
    slotsPerVisitor: 0,
    slotsPerPrefix: 0,
    unansweredPerVisitor: 0,
    unansweredPerPrefix: 0,
  };
  const now = Date.now();
  const slow = await assignTask(rows, asker, options, now);
  await assignTask(rows, { ...asker, visitorId: crypto.randomUUID() }, options, now + 40_000);
  expect(await evidenceOf(rows, visitorId)).toMatchObject({ dropped: 1 });
  await ask("POST", "/v1/trajectories", {
    token,
    body: { trajectories: [await makeUpload(baseModel, slow)] },
  });
  expect(await evidenceOf(rows, visitorId)).toMatchObject({ dropped: 0 });
});

test("seeds that a request passed over count until they are used", async () => {
  const { token, visitorId, requestSeeds = [] } = await openSession();
  const use = async (seed = 0) => {
    const { trajectory } = await makeUpload(baseModel, null);
    const example = await makeUpload(baseModel, null, {
      samplingSeed: seed,
      segments: trajectory.segments.map((segment) =>
        segment.kind === "given"
          ? segment
          : { ...segment, sampling: { ...segment.sampling, seed: spanSeed(seed, 0) } },
      ),
    });
    await ask("POST", "/v1/trajectories", { token, body: { trajectories: [example] } });
  };
  await use(requestSeeds[3]);
  expect(await evidenceOf(rows, visitorId)).toMatchObject({ dropped: 3 });
  await use(requestSeeds[1]);
  expect(await evidenceOf(rows, visitorId)).toMatchObject({ dropped: 2 });
  await use(requestSeeds[4]);
  expect(await evidenceOf(rows, visitorId)).toMatchObject({ dropped: 2 });
});

test("a forgotten visitor leaves no record, the export shows it before, and old ones are deleted", async () => {
  const [gone, old] = [await openSession(), await openSession()];
  await judge(gone, FORGED);
  await judge(old, FORGED);
  const path = `/v1/operator/visitors/${gone.visitorId}`;
  const [line = ""] = String((await call("GET", `${path}/export`, asOperator)).body).split("\n");
  expect(JSON.parse(line)).toMatchObject({ reputation: { verified: 0, forged: 1, dropped: 0 } });
  await ask("DELETE", path, asOperator);
  expect(await evidenceOf(rows, gone.visitorId)).toBeNull();
  // No trainer asks for a lease meanwhile.
  const expire = (now: number) =>
    runInDurableObject(coordinatorOf(bindings, DEFAULT_SITE), (object) => object.expire(now));
  await expire(Date.now() + 89 * DAY);
  expect(await evidenceOf(rows, old.visitorId)).not.toBeNull();
  await expire(Date.now() + 91 * DAY);
  expect(await evidenceOf(rows, old.visitorId)).toBeNull();
  const { results } = await bindings.DB.prepare("SELECT holder FROM reputations").all();
  expect(results).toEqual([]);
});

test("an outcome that replaces another counts in its place", async () => {
  const session = await openSession();
  await judge(session, FORGED);
  const set = (change: string) => bindings.DB.prepare(`UPDATE trajectories SET ${change}`).run();
  // As a retried dead letter.
  await set("status = 'stored', reason = NULL");
  expect(await evidenceOf(rows, session.visitorId)).toEqual({ verified: 0, forged: 0, dropped: 0 });
  await set("status = 'learned'");
  await set("status = 'learned', reason = 'page-tool-failed'");
  expect(await evidenceOf(rows, session.visitorId)).toEqual({ verified: 0, forged: 0, dropped: 1 });
});

test("what happened before counts were kept makes no count negative", async () => {
  const session = await openSession();
  await judge(session, FORGED);
  await bindings.DB.prepare("DELETE FROM reputations").run();
  await bindings.DB.prepare("UPDATE trajectories SET status = 'stored', reason = NULL").run();
  expect(await evidenceOf(rows, session.visitorId)).toEqual({ verified: 0, forged: 0, dropped: 0 });
  // Otherwise, the first forgery would be free.
  await lease();
  await judge(session, FORGED);
  expect(await evidenceOf(rows, session.visitorId)).toMatchObject({ forged: 1 });
});
