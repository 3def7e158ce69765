import { runInDurableObject } from "cloudflare:test";
import { DEFAULT_SITE, type DeletionResponse } from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import { coordinatorOf } from "./coordinator.ts";
import {
  agree,
  ask,
  asOperator,
  bindings,
  call,
  freshEdge,
  openSession,
  stored,
  work,
} from "./testing/edge.ts";
import {
  leaseAt,
  makeSite,
  openSite,
  registerBase,
  type TestSite,
  workAt,
} from "./testing/sites.ts";

const DAY = 86_400_000;
let baseModel = "";
let desk: TestSite;
let other: TestSite;

beforeEach(async () => {
  baseModel = await freshEdge();
  desk = await makeSite("desk", { retentionDays: 30 });
  other = await makeSite("other");
});

const expire = (site: string, at: number): Promise<number> =>
  runInDurableObject(coordinatorOf(bindings, site), (object) => object.expire(at));
const alarm = (site: string): Promise<number | null> =>
  runInDurableObject(coordinatorOf(bindings, site), (_, state) => state.storage.getAlarm());

async function learn(site: TestSite): Promise<void> {
  const { leaseId, fencingToken, groups } = await leaseAt(site);
  const outcomes = groups.flatMap(({ trajectories }) =>
    trajectories.map(({ digest }) => ({
      digest,
      status: "learned",
      staleness: 0,
      reward: 1,
      success: true,
      logProbGapMean: 0,
      logProbGapMax: 0,
      advantage: 1,
      step: 1,
    })),
  );
  const body = { fencingToken, outcomes };
  await ask("POST", `/v1/trainer/leases/${leaseId}/acknowledge`, { ...site.trainer, body });
}

test("what a site no longer keeps is deleted with its object and feedback, and nothing of another site", async () => {
  for (const site of [desk, other]) {
    const base = await registerBase(site);
    const { token } = await openSite(site);
    const { trajectory } = await workAt(token, base);
    const body = {
      id: crypto.randomUUID(),
      trajectoryId: trajectory.id,
      kind: "thumb-up",
      at: new Date().toISOString(),
    };
    await ask("POST", "/v1/feedback", { token, body });
  }
  const now = Date.now();
  expect(await expire("desk", now + 29 * DAY)).toBe(0);
  expect(await stored()).toMatchObject({ rows: 2 });
  expect(await expire("desk", now + 31 * DAY)).toBe(1);
  expect(await expire("other", now + 31 * DAY)).toBe(0);
  const left = async (table: string) =>
    (await bindings.DB.prepare(`SELECT site FROM ${table}`).all()).results;
  expect(await left("trajectories")).toEqual([{ site: "other" }]);
  expect(await left("feedback")).toEqual([{ site: "other" }]);
  const objects = await bindings.OBJECTS.list({ prefix: "sites/" });
  const trajectories = objects.objects.filter(({ key }) => key.includes("/trajectories/"));
  expect(trajectories.map(({ key }) => key.split("/")[1])).toEqual(["other"]);
});

test("a leased trajectory waits until its lease has ended", async () => {
  const base = await registerBase(desk);
  await workAt((await openSite(desk)).token, base);
  await leaseAt(desk);
  expect(await expire("desk", Date.now() + 31 * DAY)).toBe(0);
  expect(await stored()).toMatchObject({ rows: 1 });
});

test("the versions that learned from a deleted trajectory are still named when its visitor is forgotten", async () => {
  const base = await registerBase(desk);
  const { token } = await openSite(desk);
  await workAt(token, base);
  await learn(desk);
  await bindings.DB.prepare("UPDATE policies SET step = 5 WHERE site = 'desk'").run();
  expect(await expire("desk", Date.now() + 31 * DAY)).toBe(1);
  const deleted = await ask<DeletionResponse>("DELETE", "/v1/visitor", { token });
  expect(deleted).toMatchObject({ deletedTrajectories: 0, learnedBy: [0] });
});

/** When the site's alarm goes off after a look at its retention. */
async function nextAlarm(site: string, now: number): Promise<number> {
  await runInDurableObject(coordinatorOf(bindings, site), (_, state) =>
    state.storage.deleteAlarm(),
  );
  await expire(site, now);
  return (await alarm(site)) ?? Infinity;
}

test("the alarm is set for the oldest trajectory, and at once when the retention changes", async () => {
  const base = await registerBase(desk);
  await workAt((await openSite(desk)).token, base);
  const now = Date.now();
  const at = await nextAlarm("desk", now + 29.5 * DAY);
  expect(Math.abs(at - now - 30 * DAY)).toBeLessThan(60_000);
  const body = { settings: { retentionDays: 1 } };
  expect((await call("PUT", "/v1/operator/sites/desk", { ...asOperator, body })).status).toBe(200);
  expect((await alarm("desk")) ?? Infinity).toBeLessThan(now + 120_000);
});

test("a site that keeps everything still looks again within a day", async () => {
  await work((await openSession()).token, baseModel);
  const day = expect.closeTo(Date.now() + DAY, -5);
  // The site `default` keeps everything, and looks again all the same.
  expect(await nextAlarm(DEFAULT_SITE, Date.now())).toEqual(day);
  expect(await nextAlarm("desk", Date.now())).toBe(Infinity);
  await workAt((await openSite(desk)).token, await registerBase(desk));
  expect(await nextAlarm("desk", Date.now())).toEqual(day);
});

test("consents and reputations that outlast the retention do not wake an idle site each hour", async () => {
  const now = Date.now();
  const days = (at: number): number => (at - now) / DAY;
  const body = { settings: { retentionDays: 30, consentDays: 400 } };
  await ask("PUT", "/v1/operator/sites/desk", { ...asOperator, body });
  const { token } = await openSite(desk);
  await agree(token, {
    version: "1",
    scopes: ["collect", "train"],
    grantedAt: new Date(now).toISOString(),
  });
  // Kept for 30 days, and the consent for 400.
  expect(days(await nextAlarm("desk", now + 31 * DAY))).toBeCloseTo(32, 3);
  expect(days(await nextAlarm("desk", now + 399.5 * DAY))).toBeCloseTo(400, 3);
  await bindings.DB.prepare("UPDATE consents SET withdrawnAt = recordedAt").run();
  expect(days(await nextAlarm("desk", now + 29.5 * DAY))).toBeCloseTo(30, 3);
  expect(await nextAlarm("desk", now + 31 * DAY)).toBe(Infinity);
  await bindings.DB.prepare(
    "INSERT INTO reputations (site, holder, kind, verified, forged, dropped, changedAt) VALUES ('desk', 'someone', 'visitor', 1, 0, 0, ?1)",
  )
    .bind(now)
    .run();
  expect(days(await nextAlarm("desk", now + 31 * DAY))).toBeCloseTo(32, 3);
  expect(days(await nextAlarm("desk", now + 89.5 * DAY))).toBeCloseTo(90, 3);
});

test("the earliest of all rows decides, and what is due but leased is tried again after an hour", async () => {
  const base = await registerBase(desk);
  const { token } = await openSite(desk);
  await workAt(token, base);
  const now = Date.now();
  await bindings.DB.prepare(
    "INSERT INTO reputations (site, holder, kind, verified, forged, dropped, changedAt) VALUES ('desk', 'someone', 'visitor', 1, 0, 0, ?1)",
  )
    .bind(now - 89.5 * DAY)
    .run();
  expect((await nextAlarm("desk", now)) - now).toBeCloseTo(DAY / 2, -5);
  await leaseAt(desk);
  expect((await nextAlarm("desk", now + 31 * DAY)) - now).toBeCloseTo(31 * DAY + 3_600_000, -5);
});

test("an object that starts anew, as after a deployment, has an alarm within a day", async () => {
  expect(await alarm("new-site")).toBeLessThanOrEqual(Date.now() + DAY);
});
