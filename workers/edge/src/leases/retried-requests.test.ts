/** A request and its retry are leased together, to a site whose trainer learns from retries. */
import {
  DEFAULT_SITE,
  type Feedback,
  type LeaseResponse,
  type SessionResponse,
  type SiteSettings,
  type TrajectoryOutcome,
} from "@waggle/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { unwrap } from "../answer.ts";
import { coordinatorOf } from "../coordinator.ts";
import type { SiteDatabase } from "../sites/site-database.ts";
import {
  ask,
  asOperator,
  asTrainer,
  bindings,
  call,
  freshEdge,
  makeUpload,
  openSession,
  publish,
  rows,
  type Upload,
  upload,
} from "../testing/edge.ts";
import { feedbackOn, giveAsPage } from "../testing/feedback.ts";
import { leaseGroups } from "./lease-store.ts";
import { joinRetries } from "./retried-requests.ts";

const WAIT_SECONDS = 1;
const LATER = (WAIT_SECONDS + 1) * 1000;

let baseModel = "";
let token = "";

beforeEach(async () => {
  Object.assign(bindings, {
    FEEDBACK_WAIT_SECONDS: String(WAIT_SECONDS),
    FEEDBACK_FROM: "retry",
  });
  baseModel = await freshEdge();
  token = (await openSession()).token;
});
afterEach(() => {
  Object.assign(bindings, { FEEDBACK_WAIT_SECONDS: "0", FEEDBACK_FROM: "thumb" });
});

const set = (settings: SiteSettings) =>
  ask("PUT", "/v1/operator/sites/default", { ...asOperator, body: { settings } });
const request = (edit: Partial<Upload["trajectory"]> = {}) => makeUpload(baseModel, null, edit);
const give = async (one: Upload, edit: Partial<Feedback>, as = token) => {
  expect((await giveAsPage(as, feedbackOn(one.trajectory, edit))).status).toBe(200);
};
const retry = (one: Upload, next: Upload, as = token) =>
  give(one, { kind: "retry", retryId: next.trajectory.id }, as);

/** Uploads a request and its retry. */
async function retried(as = token): Promise<[Upload, Upload]> {
  const [first, second] = [await request(), await request()];
  await upload(as, first);
  await retry(first, second, as);
  await upload(as, second);
  return [first, second];
}

/** Leases at this time. */
const granted = async (now: number, trainerId = "test", maxGroups = 10) =>
  unwrap(
    await coordinatorOf(bindings, DEFAULT_SITE).lease(
      { trainerId, maxGroups, durationSeconds: 60 },
      now,
    ),
  );

/** Groups of digests that a trainer gets at this time. The lease is given back. */
async function leasable(now = Date.now() + LATER): Promise<string[][]> {
  const { leaseId, fencingToken, groups } = await granted(now);
  if (leaseId === null) return [];
  unwrap(await coordinatorOf(bindings, DEFAULT_SITE).release(leaseId, fencingToken));
  return groups.map(({ rows }) => rows.map(({ digest }) => digest).toSorted());
}

const digests = (...uploads: readonly Upload[]) => uploads.map(({ digest }) => digest).toSorted();

/** What a trainer gets over HTTP, once the groups are old enough. */
async function leased(): Promise<LeaseResponse> {
  await new Promise((resolve) => setTimeout(resolve, WAIT_SECONDS * 1000 + 50));
  return ask("POST", "/v1/trainer/leases", {
    ...asTrainer,
    body: { trainerId: "test", maxGroups: 10, durationSeconds: 60 },
  });
}

test("a request and its retry are one group of one lease, once the retry is old enough", async () => {
  const pair = await retried();
  expect(await leasable(Date.now())).toEqual([]);
  expect(await leasable()).toEqual([digests(...pair)]);
  // A lease that was given back leaves them together.
  expect(await leasable()).toEqual([digests(...pair)]);
});

test.each(["feedback", "first", "second"] as const)(
  "the order in which the page sends the %s last does not matter",
  async (last) => {
    const [first, second] = [await request(), await request()];
    const sends = {
      first: () => upload(token, first),
      feedback: () => retry(first, second),
      second: () => upload(token, second),
    };
    for (const [name, send] of Object.entries(sends)) if (name !== last) await send();
    expect(await leasable()).toEqual([]);
    await sends[last]();
    expect(await leasable()).toEqual([digests(first, second)]);
  },
);

test("retries of retries are one group, whatever comes first", async () => {
  const all = [await request(), await request(), await request(), await request()] as const;
  const [a, b, c, d] = all;
  await upload(token, a, b, c);
  await retry(b, c);
  await retry(a, b);
  await retry(c, d);
  await upload(token, d);
  expect(await leasable()).toEqual([digests(...all)]);
});

test("a visitor who goes on trying makes no group of more than eight requests", async () => {
  const all: Upload[] = [];
  for (let i = 0; i < 10; i += 1) all.push(await request());
  await upload(token, ...all);
  for (const [i, one] of all.slice(1).entries()) await retry(all[i] as Upload, one);
  const groups = await leasable();
  expect(groups.map((group) => group.length).toSorted((a, b) => a - b)).toEqual([2, 8]);
});

test("a request whose retry is missing is not leased, and a page without the link makes no pair", async () => {
  const [first, second] = [await request(), await request()];
  await upload(token, first);
  await retry(first, second);
  const [older, next] = [await request(), await request()];
  await upload(token, older, next);
  await give(older, { kind: "retry" });
  expect(await leasable()).toEqual([]);
});

test("no pair without consent of both, of two visitors, or at a site that does not learn from retries", async () => {
  const { consent } = (await request()).trajectory;
  const scopes = [
    { ...consent, scopes: ["collect", "feedback"], choices: true },
    { ...consent, scopes: ["collect", "train"], choices: true },
  ] as const;
  for (const each of scopes) {
    const first = await request();
    const second = await request({ consent: each as unknown as typeof consent });
    await upload(token, first);
    await retry(first, second);
    await upload(token, second);
  }
  const stranger = (await openSession()).token;
  const [mine, theirs] = [await request(), await request()];
  await upload(token, mine);
  await retry(mine, theirs);
  await upload(stranger, theirs);
  await retry(mine, theirs, stranger);
  expect(await leasable()).toEqual([]);
  await set({ feedbackFrom: ["thumb"] });
  await retried();
  expect(await leasable()).toEqual([]);
});

test("only retries have the id of another trajectory, and its visitor gets it back", async () => {
  const [first, second] = await retried();
  const retryId = second.trajectory.id;
  const refused = await giveAsPage(token, feedbackOn(first.trajectory, { retryId }));
  expect(refused.status).toBe(400);
  const { body } = await call("GET", "/v1/visitor?after=feedback.", { token });
  expect(String(body)).toContain(`"retryId":"${retryId}"`);
});

test("the lease has what says that an answer was not kept, and the link only where the site asks for it", async () => {
  const [first, second] = await retried();
  await give(second, { kind: "next-contradicts" });
  await give(second, { kind: "thumb-down" });
  const { groups } = await leased();
  const kinds = groups.flatMap(({ trajectories }) =>
    trajectories.map(({ digest, feedback }) => [digest, feedback.map(({ kind }) => kind)]),
  );
  expect(Object.fromEntries(kinds)).toEqual({
    [first.digest]: ["retry"],
    [second.digest]: ["next-contradicts", "thumb-down"],
  });
  const said = groups.flatMap(({ trajectories }) => trajectories.flatMap((one) => one.feedback));
  expect(said.flatMap(({ retryId }) => retryId ?? [])).toEqual([second.trajectory.id]);
  await set({ feedbackFrom: ["message"] });
  const [other, next] = [await request(), await request()];
  await upload(token, other);
  await retry(other, next);
  await upload(token, next);
  const plain = (await leased()).groups.flatMap(({ trajectories }) => trajectories);
  expect(plain.map(({ digest }) => digest)).toEqual([other.digest]);
  expect(plain[0]?.feedback.map(({ kind, retryId }) => [kind, retryId])).toEqual([
    ["retry", undefined],
  ]);
});

test("two trainers: one has both, the other none, and both are learned from once", async () => {
  const pair = await retried();
  const now = Date.now() + LATER;
  const one = await granted(now, "one", 1);
  expect(one.groups.map(({ rows }) => rows.length)).toEqual([2]);
  expect((await granted(now, "two", 1)).groups).toEqual([]);
  const outcomes = pair.map(({ digest }): TrajectoryOutcome => ({
    digest,
    status: "learned",
    step: 1,
  }));
  const coordinator = coordinatorOf(bindings, DEFAULT_SITE);
  // The first trainer's lease expires, the second learns, and the first is too late.
  const later = now + 61_000;
  const two = await granted(later, "two", 1);
  expect(two.groups.map(({ rows }) => rows.length)).toEqual([2]);
  const answer = async ({ leaseId, fencingToken }: typeof two) =>
    unwrap(await coordinator.acknowledge(leaseId ?? "", { fencingToken, outcomes }, later));
  expect(await answer(two)).toEqual({ acknowledged: 2, twice: 0 });
  expect(await answer(one)).toEqual({ acknowledged: 0, twice: 2 });
  expect(await leasable(later + LATER)).toEqual([]);
});

test("an answer that was leased before joins no pair later", async () => {
  await set({ feedbackFrom: ["thumb", "retry"] });
  const [first, second] = [await request(), await request()];
  await upload(token, second);
  await give(second, { kind: "thumb-up" });
  const held = await granted(Date.now() + LATER);
  expect(held.groups.map(({ rows }) => rows.length)).toEqual([1]);
  await upload(token, first);
  await retry(first, second);
  const outcomes: TrajectoryOutcome[] = [{ digest: second.digest, status: "learned", step: 1 }];
  const { leaseId, fencingToken } = held;
  const coordinator = coordinatorOf(bindings, DEFAULT_SITE);
  unwrap(await coordinator.acknowledge(leaseId ?? "", { fencingToken, outcomes }, Date.now()));
  expect(await leasable()).toEqual([]);
});

test("a visitor who is forgotten takes both sides, also from a lease that has them", async () => {
  const [first] = await retried();
  const held = await granted(Date.now() + LATER);
  const pair = held.groups.flatMap(({ rows }) => rows.map(({ digest }) => digest));
  expect(pair).toHaveLength(2);
  expect((await call("DELETE", "/v1/visitor", { token })).status).toBe(200);
  const { leaseId, fencingToken } = held;
  const coordinator = coordinatorOf(bindings, DEFAULT_SITE);
  const renewed = unwrap(await coordinator.renew(leaseId ?? "", fencingToken, 60, Date.now()));
  expect(renewed.forgotten.toSorted()).toEqual(pair.toSorted());
  unwrap(await coordinator.release(leaseId ?? "", fencingToken));
  expect(await leasable()).toEqual([]);
  const left = await bindings.DB.prepare(
    "SELECT (SELECT COUNT(*) FROM feedback) + (SELECT COUNT(*) FROM trajectories) AS n",
  ).first("n");
  expect(left).toBe(0);
  expect(pair).toContain(first.digest);
});

test("if a visitor is forgotten after both sides were learned, the version that learned from them is named with both", async () => {
  const pair = await retried();
  const held = await granted(Date.now() + LATER);
  const outcomes = pair.map(({ digest }): TrajectoryOutcome => ({
    digest,
    status: "learned",
    step: 1,
  }));
  const { leaseId, fencingToken } = held;
  const coordinator = coordinatorOf(bindings, DEFAULT_SITE);
  const ended = { fencingToken, outcomes };
  unwrap(await coordinator.acknowledge(leaseId ?? "", ended, Date.now()));
  await publish(1, baseModel, 1);
  expect((await call("DELETE", "/v1/visitor", { token })).status).toBe(200);
  expect(await ask("GET", "/v1/operator/deletions", asOperator)).toMatchObject({
    visitors: 1,
    learned: 2,
    versions: [{ version: 1, trajectories: 2 }],
  });
});

test("a retry is not linked once the consent of its visitor has expired", async () => {
  const { consent } = (await request()).trajectory;
  const old = { ...consent, grantedAt: new Date(Date.now() - 31 * 86_400_000).toISOString() };
  const body = { siteKey: "test-site" };
  const { token: as } = await ask<SessionResponse>("POST", "/v1/sessions", { body });
  const [first, second] = [await request({ consent: old }), await request({ consent: old })];
  await upload(as, first, second);
  await set({ consentDays: 30 });
  const late = feedbackOn(first.trajectory, { kind: "retry", retryId: second.trajectory.id });
  expect(await giveAsPage(as, late)).toMatchObject({
    status: 403,
    body: { error: { code: "CONSENT_EXPIRED" } },
  });
  expect(await leasable()).toEqual([]);
});

test("a request whose retry is deleted after they were joined is leased alone, so that it is listed", async () => {
  const drop = ({ digest }: Upload) =>
    bindings.DB.prepare("DELETE FROM trajectories WHERE digest = ?1").bind(digest).run();
  const [first, second] = await retried();
  expect(await leasable()).toEqual([digests(first, second)]);
  await drop(second);
  expect(await leasable()).toEqual([[first.digest]]);
  // Deleted before, it never arrived.
  const [, early] = await retried();
  await drop(early);
  expect(await leasable()).toEqual([[first.digest]]);
});

test("a visitor's request has one retry, and an answer retries one request; other links are left out", async () => {
  const [a, b, c] = [await request(), await request(), await request()];
  await upload(token, a, b, c);
  await retry(a, b);
  const second = feedbackOn(a.trajectory, { kind: "retry", retryId: c.trajectory.id });
  const third = feedbackOn(c.trajectory, { kind: "retry", retryId: b.trajectory.id });
  for (const one of [second, third]) {
    expect((await giveAsPage(token, one)).status).toBe(200);
    // The page sends it again if the answer was lost.
    expect((await giveAsPage(token, one)).status).toBe(200);
  }
  expect(await leasable()).toEqual([digests(a, b)]);
  // What a stranger says does not take the place of the visitor's.
  const [mine, next] = [await request(), await request()];
  const stranger = (await openSession()).token;
  await retry(mine, await request(), stranger);
  await upload(token, mine, next);
  await retry(mine, next);
  const groups = [digests(a, b), digests(mine, next)];
  expect(new Set((await leasable()).map(String))).toEqual(new Set(groups.map(String)));
});

/** The site's rows; `before` happens once, before this batch. */
function interrupted(place: number, before: () => Promise<unknown>): SiteDatabase {
  let batches = 0;
  return {
    ...rows,
    batch: async (statements) => {
      if (++batches === place) await before();
      return rows.batch(statements);
    },
  };
}

const SETTINGS = {
  FEEDBACK_FROM: ["retry"],
  FEEDBACK_WAIT_SECONDS: WAIT_SECONDS,
} satisfies Parameters<typeof joinRetries>[2];

/** Rows linked by retries that no one has joined yet. */
async function unjoined(...all: readonly Upload[]): Promise<void> {
  await set({ feedbackFrom: ["thumb"] });
  await upload(token, ...all);
  // A trainer that asks gets nothing, and the records are placed.
  expect(await leasable()).toEqual([]);
  for (const [i, next] of all.slice(1).entries()) await retry(all[i] as Upload, next);
  await set({ feedbackFrom: ["retry"] });
}

test("a join that finds its groups joined by another looks again", async () => {
  const [a, b, c] = [await request(), await request(), await request()];
  await unjoined(a, b, c);
  const of = ({ trajectory }: Upload) => [trajectory.id];
  const db = interrupted(1, () => joinRetries(rows, of(a), SETTINGS));
  await joinRetries(db, of(c), SETTINGS);
  expect(await leasable()).toEqual([digests(a, b, c)]);
});

test("a record that is moved while it is being leased is not leased apart from the other side", async () => {
  const [first, second] = [await request(), await request()];
  await unjoined(first, second);
  await set({ feedbackFrom: ["thumb", "retry"] });
  // The trainer chooses the group of the second record alone.
  await give(second, { kind: "thumb-up" });
  const moved = () => joinRetries(rows, [first.trajectory.id], SETTINGS);
  // The first batch ends leases that expired.
  const db = interrupted(2, moved);
  const asked = { trainerId: "test", maxGroups: 10, durationSeconds: 60 };
  const now = Date.now() + LATER;
  const { groups, leaseId, fencingToken } = await leaseGroups(
    db,
    asked,
    { MAX_LEASE_FAILURES: 5, CONSENT_DAYS: 400 },
    now,
  );
  expect(groups.map((group) => group.rows)).toEqual([[]]);
  unwrap(await coordinatorOf(bindings, DEFAULT_SITE).release(leaseId ?? "", fencingToken));
  expect(await leasable()).toEqual([digests(first, second)]);
});
