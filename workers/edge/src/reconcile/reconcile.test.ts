/** Damage of each kind is found, and repaired on request. Whole data is left as it is. */
import type { AuditResponse, Finding, ReconcileResponse } from "@waggle/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  ask,
  asOperator,
  assign,
  bindings,
  call,
  freshEdge,
  lease,
  makeUpload,
  openSession,
  publish,
  type Upload,
  upload,
  work,
} from "../testing/edge.ts";
import { makeSite, openSite, promoteNext, registerBase, workAt } from "../testing/sites.ts";

const HOUR = 3_600_000;
let baseModel = "";
let token = "";

beforeEach(async () => {
  baseModel = await freshEdge();
  token = (await openSession()).token;
});
afterEach(() => {
  vi.useRealTimers();
});

/** Two hours later, when nothing that was planted can be unfinished work. */
function later(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * HOUR });
}

/** All pages of a comparison. */
async function reconcile(repair: boolean, operator: { token: string } = asOperator) {
  const found: Finding[] = [];
  let checked = 0;
  let cursor: string | null = null;
  do {
    const page: ReconcileResponse = await ask("POST", "/v1/operator/reconcile", {
      ...operator,
      body: { cursor, repair },
    });
    found.push(...page.found);
    checked += page.checked;
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { checked, found };
}

const sql = (text: string, ...values: unknown[]) =>
  bindings.DB.prepare(text)
    .bind(...values)
    .run();
const rowOf = (digest: string) =>
  bindings.DB.prepare("SELECT * FROM trajectories WHERE digest = ?1").bind(digest).first();
const keyOf = async ({ digest }: Upload): Promise<string> =>
  String((await rowOf(digest))?.["objectKey"]);

/** Every row and object of the edge, but the log and the logins. */
async function state(): Promise<string> {
  const names = await bindings.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%site TEXT NOT NULL%'",
  ).all<{ name: string }>();
  const tables: unknown[] = [];
  for (const { name } of names.results) {
    if (name === "auditLog" || name === "operatorLogins") continue;
    tables.push([name, (await bindings.DB.prepare(`SELECT * FROM ${name}`).all()).results]);
  }
  const { objects } = await bindings.OBJECTS.list();
  return JSON.stringify([tables, objects.map(({ key, etag }) => [key, etag])]);
}

/** What is found before, with and after a repair, and the state after it. */
async function repaired(): Promise<{ found: Finding[]; after: Finding[] }> {
  const before = await state();
  const looked = await reconcile(false);
  expect(await state()).toBe(before);
  expect(looked.found.every((finding) => !finding.repaired)).toBe(true);
  const { found } = await reconcile(true);
  const kindAndName = ({ kind, name }: Finding) => [kind, name];
  expect(found.map(kindAndName)).toEqual(looked.found.map(kindAndName));
  return { found, after: (await reconcile(false)).found };
}

test("whole data of every kind is neither reported nor changed by a repair", async () => {
  await work(token, baseModel);
  await upload(token, await makeUpload(baseModel, null));
  await publish(1, baseModel);
  await lease(1, 600);
  await work(token, baseModel);
  await upload(token, await makeUpload(baseModel, null));
  const before = await state();
  const { checked, found } = await reconcile(true);
  expect(found).toEqual([]);
  expect(checked).toBeGreaterThan(8);
  expect(await state()).toBe(before);
});

test("an object without a row is deleted, and one that may be an upload in progress is not", async () => {
  const whole = await work(token, baseModel);
  const key = "trajectories/8f14e45f-ceea-467f-a8f1-5d2b5f0f0a02/none.json";
  await bindings.OBJECTS.put(key, "{}");
  // The same digest, but under another visitor than that of its row.
  const copy = `trajectories/8f14e45f-ceea-467f-a8f1-5d2b5f0f0a02/${whole.digest}.json`;
  await bindings.OBJECTS.put(copy, "{}");
  expect((await reconcile(true)).found).toEqual([]);
  later();
  const { found, after } = await repaired();
  expect(found.map(({ kind, name }) => [kind, name])).toEqual(
    [copy, key].toSorted().map((name) => ["object-without-row", name]),
  );
  expect(after).toEqual([]);
  expect(await bindings.OBJECTS.head(key)).toBeNull();
  expect(await bindings.OBJECTS.head(await keyOf(whole))).not.toBeNull();
});

test("a waiting row without an object becomes a dead letter, and a learned one stays", async () => {
  const [waiting, learned, whole] = [
    await work(token, baseModel),
    await work(token, baseModel),
    await work(token, baseModel),
  ];
  await sql("UPDATE trajectories SET status = 'learned' WHERE digest = ?1", learned.digest);
  await bindings.OBJECTS.delete([await keyOf(waiting), await keyOf(learned)]);
  const { found, after } = await repaired();
  // The queue makes a stored row ready at some time.
  const waitingDetail: unknown = expect.stringMatching(/^status (stored|ready)$/);
  expect(found).toEqual(
    [waiting, learned]
      .toSorted((a, b) => (a.digest < b.digest ? -1 : 1))
      .map(({ digest }) => ({
        kind: "row-without-object",
        name: digest,
        detail: digest === learned.digest ? "status learned" : waitingDetail,
        repaired: digest === waiting.digest,
      })),
  );
  expect(after.map(({ kind, name, detail }) => [kind, name, detail])).toEqual([
    ["dead-letter", waiting.digest, "reason object-missing"],
    ["row-without-object", learned.digest, "status learned"],
  ]);
  expect(await rowOf(waiting.digest)).toMatchObject({
    status: "rejected",
    reason: "object-missing",
  });
  expect(await rowOf(whole.digest)).toMatchObject({ reason: null });
});

test("a lease that expired an hour ago is ended, and its rows can be leased again", async () => {
  await upload(token, await makeUpload(baseModel, null));
  const { leaseId } = await lease(1, 60);
  expect((await reconcile(true)).found).toEqual([]);
  later();
  const { found, after } = await repaired();
  expect(found).toMatchObject([{ kind: "lease-not-ended", name: leaseId, repaired: true }]);
  expect(after).toEqual([]);
  expect((await lease(1, 60)).groups).toHaveLength(1);
});

test("rows and groups of a lease that has ended can be leased again, and those of another lease stay leased", async () => {
  await upload(token, await makeUpload(baseModel, null));
  const held = await lease(1, 600);
  const stuck = await makeUpload(baseModel, null);
  const empty = await makeUpload(baseModel, null);
  await upload(token, stuck, empty);
  const lost = await lease(2, 600);
  expect(lost.groups).toHaveLength(2);
  await sql("UPDATE leases SET state = 'lost' WHERE id = ?1", lost.leaseId);
  // One group remains leased although its only row was learned from.
  await sql("UPDATE trajectories SET status = 'learned' WHERE digest = ?1", empty.digest);
  const { found, after } = await repaired();
  expect(found.map(({ kind, name }) => [kind, name])).toEqual([
    ...lost.groups
      .map(({ groupId }) => groupId)
      .toSorted()
      .map((groupId) => ["group-without-lease", groupId]),
    ["row-without-lease", stuck.digest],
  ]);
  expect(after).toEqual([]);
  const again = await lease(5, 600);
  expect(again.groups.flatMap((group) => group.trajectories.map((one) => one.digest))).toEqual([
    stuck.digest,
  ]);
  const group = await bindings.DB.prepare("SELECT state FROM taskGroups WHERE leaseId = ?1")
    .bind(held.leaseId)
    .first();
  expect(group).toEqual({ state: "leased" });
});

test("a letter without a rejected row is deleted, and a dead letter waits for the operator", async () => {
  const dead = await work(token, baseModel);
  await sql("UPDATE trajectories SET status = 'rejected', reason = 'check-failed' WHERE 1");
  for (const digest of [dead.digest, "f".repeat(64)]) {
    await sql(
      `INSERT INTO deadLetters (site, digest, visitorId, reason, failedLeases, diedAt)
       VALUES ('default', ?1, 'v', 'check-failed', 1, 1)`,
      digest,
    );
  }
  const { found, after } = await repaired();
  const letter = { kind: "dead-letter", name: dead.digest, detail: "reason check-failed" };
  expect(found.toSorted((a, b) => a.kind.localeCompare(b.kind))).toEqual([
    { ...letter, repaired: false },
    {
      kind: "letter-without-row",
      name: "f".repeat(64),
      detail: "its trajectory is gone",
      repaired: true,
    },
  ]);
  expect(after).toEqual([{ ...letter, repaired: false }]);
});

test("a missing file of a version is reported, and a file that pages cannot find is listed", async () => {
  const site = await makeSite("desk");
  const base = await registerBase(site);
  const { adapter } = await promoteNext(site, base);
  const other = await makeSite("other");
  await registerBase(other);
  await sql("DELETE FROM objects WHERE site = 'desk' AND sha256 = ?1", adapter?.sha256);
  expect((await reconcile(false, site.operator)).found).toEqual([
    { kind: "file-not-listed", name: adapter?.sha256, detail: "adapter of v1", repaired: false },
  ]);
  expect((await reconcile(true, site.operator)).found).toMatchObject([{ repaired: true }]);
  expect((await call("GET", `/v1/objects/${adapter?.sha256}`)).status).toBe(200);
  await bindings.OBJECTS.delete(`sites/desk/objects/${adapter?.sha256}`);
  const missing = { kind: "file-missing", name: adapter?.sha256, detail: "adapter of v1" };
  expect((await reconcile(true, site.operator)).found).toEqual([{ ...missing, repaired: false }]);
});

test("a repair reaches only the credential's own site", async () => {
  const [desk, other] = [await makeSite("desk"), await makeSite("other")];
  for (const site of [desk, other]) {
    await workAt((await openSite(site)).token, await registerBase(site));
    const { objects } = await bindings.OBJECTS.list({ prefix: `sites/${site.id}/trajectories/` });
    await bindings.OBJECTS.delete(objects.map(({ key }) => key));
  }
  const { found } = await reconcile(true, desk.operator);
  expect(found.filter(({ repaired }) => repaired)).toMatchObject([{ kind: "row-without-object" }]);
  const left = await bindings.DB.prepare("SELECT status FROM trajectories WHERE site = 'other'")
    .bind()
    .all();
  expect(left.results).not.toContainEqual({ status: "rejected" });
});

test("more than a page of objects is compared, and a comparison goes on at a cursor", async () => {
  const folder = "trajectories/8f14e45f-ceea-467f-a8f1-5d2b5f0f0a02";
  const planted = Array.from({ length: 503 }, (_, i) => `${folder}/${1000 + i}.json`);
  await Promise.all(planted.map((key) => bindings.OBJECTS.put(key, "{}")));
  later();
  const first = await ask<ReconcileResponse>("POST", "/v1/operator/reconcile", {
    ...asOperator,
    body: { cursor: null, repair: true },
  });
  expect(first.found).toHaveLength(500);
  const rest = await ask<ReconcileResponse>("POST", "/v1/operator/reconcile", {
    ...asOperator,
    body: { cursor: first.nextCursor, repair: true },
  });
  expect(rest).toMatchObject({ checked: 3, nextCursor: "letters:" });
  const left = await bindings.OBJECTS.list({ prefix: "trajectories/" });
  expect(left.objects).toEqual([]);
});

test("a repair is in the audit log with its kinds, and a look is not", async () => {
  const waiting = await work(token, baseModel);
  await bindings.OBJECTS.delete(await keyOf(waiting));
  await reconcile(false);
  await reconcile(true);
  const { entries } = await ask<AuditResponse>("GET", "/v1/operator/audit", asOperator);
  expect(entries.filter(({ action }) => action === "repair")).toMatchObject([
    { by: "operator", reason: "row-without-object: 1" },
  ]);
});

test.each(["", "nothing:", "objects", "toString:", "x".repeat(1300)])(
  "the cursor %j is refused",
  async (cursor) => {
    const reply = await call("POST", "/v1/operator/reconcile", {
      ...asOperator,
      body: { cursor, repair: true },
    });
    expect(reply).toMatchObject({ status: 400, body: { error: { code: "SCHEMA_INVALID" } } });
  },
);

test("an assigned task is still given after a repair", async () => {
  await reconcile(true);
  expect(await assign(token)).toMatchObject({ task: { split: "train" } });
});
