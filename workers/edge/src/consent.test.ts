/** What an edge stores and hands out, by what the visitor agreed to and what the site collects. */
import {
  type Consent,
  type Feedback,
  type SessionResponse,
  toStatistics,
  type Trajectory,
  type TrajectoryDetail,
  trajectoryDigest,
} from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import {
  agree,
  ask,
  asOperator,
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
  work,
} from "./testing/edge.ts";
import { feedbackOn, giveAsPage } from "./testing/feedback.ts";

let baseModel = "";
let token = "";

beforeEach(async () => {
  baseModel = await freshEdge();
  token = (await openSession()).token;
});

const AT = "2026-11-20T12:00:00.000Z";

const set = (settings: object) =>
  ask("PUT", "/v1/operator/sites/default", { ...asOperator, body: { settings } });

const request = (...scopes: Consent["scopes"][number][]): Promise<Upload> =>
  makeUpload(baseModel, null, { consent: { version: "1", scopes, choices: true, grantedAt: AT } });

async function statistics(edit: Partial<Trajectory> = {}): Promise<Upload> {
  const { trajectory } = await request("collect", "feedback");
  const reduced = { ...toStatistics(trajectory), ...edit };
  return { trajectory: reduced, digest: await trajectoryDigest(reduced) };
}

const thumb = ({ trajectory }: Upload, edit: Partial<Feedback> = {}) =>
  giveAsPage(token, feedbackOn(trajectory, edit));

async function rowOf({ digest }: Upload): Promise<unknown> {
  return bindings.DB.prepare(
    "SELECT status, reason, consentScopes FROM trajectories WHERE digest = ?1",
  )
    .bind(digest)
    .first();
}

test("a consent that is older than the site allows is refused, and nothing is stored", async () => {
  await set({ consentDays: 30 });
  const daysAgo = (days: number): Consent => ({
    version: "1",
    scopes: ["collect", "train"],
    grantedAt: new Date(Date.now() - days * 86_400_000).toISOString(),
  });
  const old = await makeUpload(baseModel, null, { consent: daysAgo(31) });
  const refused = await call("POST", "/v1/trajectories", { token, body: { trajectories: [old] } });
  expect(refused).toMatchObject({ status: 403, body: { error: { code: "CONSENT_MISSING" } } });
  expect(await stored()).toEqual(NOTHING);
  const fresh = await makeUpload(baseModel, null, { consent: daysAgo(29) });
  expect((await upload(token, old, fresh)).results.map(({ status }) => status)).toEqual([
    "rejected",
    "accepted",
  ]);
  const { groups } = await lease();
  expect(groups[0]?.consentDays).toBe(30);
  const path = `/v1/operator/trajectories/${fresh.digest}`;
  expect((await ask<TrajectoryDetail>("GET", path, asOperator)).consentDays).toBe(30);
});

test("feedback and outcomes under a consent that has expired are refused by name, counted, and taken after a new one", async () => {
  const day = 86_400_000;
  const agreed = (daysAgo: number): Consent => ({
    version: "1",
    scopes: ["collect", "train"],
    grantedAt: new Date(Date.now() - daysAgo * day).toISOString(),
  });
  token = (await ask<SessionResponse>("POST", "/v1/sessions", { body: { siteKey: "test-site" } }))
    .token;
  const one = await makeUpload(baseModel, null, { consent: agreed(31) });
  await upload(token, one);
  expect((await thumb(one)).status).toBe(200);
  await set({ consentDays: 30, metrics: { booked: { type: "boolean", better: "higher" } } });
  const outcome = {
    id: crypto.randomUUID(),
    trajectoryId: one.trajectory.id,
    metric: "booked",
    value: true,
    at: new Date().toISOString(),
  };
  const send = (): Promise<{ status: number; body: unknown }[]> =>
    Promise.all([thumb(one), call("POST", "/v1/visitor/outcomes", { token, body: outcome })]);
  for (const refused of await send()) {
    expect(refused).toMatchObject({ status: 403, body: { error: { code: "CONSENT_EXPIRED" } } });
  }
  const count = await bindings.DB.prepare("SELECT COUNT(*) AS n FROM feedback").first("n");
  expect(count).toBe(1);
  await expect
    .poll(
      async () =>
        (
          await bindings.DB.prepare(
            "SELECT operation FROM refusals WHERE reason = 'CONSENT_EXPIRED' ORDER BY operation",
          ).all()
        ).results,
      { timeout: 10_000 },
    )
    .toEqual([{ operation: "giveFeedback" }, { operation: "reportOutcome" }]);
  await agree(token, agreed(0));
  expect((await send()).map(({ status }) => status)).toEqual([200, 200]);
});

test("a trajectory without consent to training is stored and never leased", async () => {
  const kept = await request("collect", "feedback");
  await upload(token, kept);
  expect(await rowOf(kept)).toEqual({
    status: "skipped",
    reason: "no-train-consent",
    consentScopes: "collect,feedback",
  });
  expect((await lease()).groups).toEqual([]);
  expect((await thumb(kept)).status).toBe(200);
});

test("feedback without consent to it is refused, deleted if it came first, and never leased", async () => {
  const one = await request("collect", "train");
  expect((await thumb(one)).status).toBe(200);
  await upload(token, one);
  const refused = await thumb(one);
  expect(refused).toMatchObject({ status: 403, body: { error: { code: "CONSENT_MISSING" } } });
  const count = await bindings.DB.prepare("SELECT COUNT(*) AS n FROM feedback").first("n");
  expect(count).toBe(0);
  // As if it had been stored at the same moment.
  await bindings.DB.prepare(
    `INSERT INTO feedback (site, id, trajectoryId, visitorId, kind, at, receivedAt)
     SELECT site, 'late', id, visitorId, 'thumb-up', ?1, receivedAt FROM trajectories`,
  )
    .bind(AT)
    .run();
  const all = await request("collect", "train", "feedback");
  await upload(token, all);
  expect((await thumb(all)).status).toBe(200);
  const leased = (await lease()).groups.flatMap(({ trajectories }) => trajectories);
  const counts = leased.map(({ trajectory, feedback }) => [trajectory.id, feedback.length]);
  expect(new Map(counts as [string, number][])).toEqual(
    new Map([
      [one.trajectory.id, 0],
      [all.trajectory.id, 1],
    ]),
  );
});

test("the consent of one visitor says nothing about the feedback of another", async () => {
  const one = await request("collect", "train");
  await upload(token, one);
  token = (await openSession()).token;
  expect((await thumb(one)).status).toBe(200);
});

test("a consent to one question covers feedback, as in the previous release", async () => {
  const one = await makeUpload(baseModel, null);
  await upload(token, one);
  expect(await rowOf(one)).toMatchObject({ reason: null, consentScopes: "collect,train,feedback" });
  expect((await thumb(one)).status).toBe(200);
});

test("a site with statistics refuses tokens and text of visitors, and still takes practice", async () => {
  await set({ collect: "statistics" });
  const full = await makeUpload(baseModel, null);
  const sent = await call("POST", "/v1/trajectories", { token, body: { trajectories: [full] } });
  expect(sent).toMatchObject({ status: 403, body: { error: { code: "FORBIDDEN" } } });
  expect(await stored()).toEqual(NOTHING);
  const hidden = await statistics({
    turns: [{ segmentId: "s0", toolCalls: [], toolResults: [], parseError: "my name is Ada" }],
  });
  const one = await statistics();
  expect((await upload(token, hidden, one)).results.map(({ status }) => status)).toEqual([
    "rejected",
    "accepted",
  ]);
  const message = await thumb(one, { kind: "next-corrects", text: "no, blue" });
  expect(message).toMatchObject({ status: 403, body: { error: { code: "FORBIDDEN" } } });
  expect((await thumb(one)).status).toBe(200);
  const practice = await work(token, baseModel);
  const leased = (await lease()).groups.flatMap(({ trajectories }) => trajectories);
  expect(leased.map(({ digest }) => digest)).not.toContain(one.digest);
  expect(await rowOf(practice)).toMatchObject({ reason: null });
});

test("statistics teach nothing: they are counted and never leased, at any site", async () => {
  const { trajectory } = await makeUpload(baseModel, null);
  const reduced = toStatistics(trajectory);
  const one = { trajectory: reduced, digest: await trajectoryDigest(reduced) };
  await upload(token, one);
  expect(await rowOf(one)).toMatchObject({ status: "skipped", reason: "statistics-only" });
  expect((await lease()).groups).toEqual([]);
});
