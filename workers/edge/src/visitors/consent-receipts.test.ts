/** Receipts of consents: what they say, what they allow, and how they end. */
import { runInDurableObject } from "cloudflare:test";
import {
  canonicalJson,
  type Consent,
  ConsentReceipt,
  DEFAULT_SITE,
  type SessionResponse,
  type TrajectoryDetail,
  type VisitorExportLine,
  type WithdrawalResponse,
} from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import { coordinatorOf } from "../coordinator.ts";
import {
  agree,
  ask,
  asOperator,
  assign,
  bindings,
  call,
  freshEdge,
  makeUpload,
  NOTHING,
  stored,
  upload,
} from "../testing/edge.ts";
import { feedbackOn, giveAsPage } from "../testing/feedback.ts";
import { openSite, makeSite } from "../testing/sites.ts";
import { siteDatabase } from "../sites/site-database.ts";
import { meterRows } from "../testing/row-meter.ts";
import { oldestConsentAt } from "./consent-receipts.ts";
import { isSigned } from "./receipt-signature.ts";

const DAY = 86_400_000;
const SHOWN = { sha256: "a".repeat(64), language: "de" };
let baseModel = "";
let token = "";
let visitorId = "";

/** A session whose visitor has no receipt. */
async function openUnproven(): Promise<void> {
  const body = { siteKey: "test-site" };
  ({ token, visitorId } = await ask<SessionResponse>("POST", "/v1/sessions", { body }));
}

beforeEach(async () => {
  baseModel = await freshEdge();
  await openUnproven();
});

const consentOf = (edit: Partial<Consent> = {}): Consent => ({
  version: "1",
  scopes: ["collect", "train"],
  grantedAt: new Date(Date.now() - 1000).toISOString(),
  ...edit,
});

const record = (body: object, as = token) => call("POST", "/v1/consents", { token: as, body });
const withdraw = (receipts: readonly ConsentReceipt[], as = token): Promise<WithdrawalResponse> =>
  ask("POST", "/v1/consents/withdrawals", { token: as, body: { receipts } });

/** What the edge says of one request that was recorded under this consent. */
async function send(consent: Consent, as = token): Promise<string> {
  const { results } = await uploaded(consent, as);
  const [result] = results as [{ status: string; code?: string }];
  return result.code ?? result.status;
}

async function uploaded(consent: Consent, as = token): Promise<{ results: unknown[] }> {
  const trajectories = [await makeUpload(baseModel, null, { consent })];
  return (await call("POST", "/v1/trajectories", { token: as, body: { trajectories } }))
    .body as never;
}

test("a receipt says who agreed to what, when and to which text, and the edge's secret signs it", async () => {
  const before = Date.now();
  const consent = consentOf();
  const { body } = await record({ consent, text: SHOWN });
  const receipt = ConsentReceipt.parse(body);
  expect(receipt).toMatchObject({ site: DEFAULT_SITE, visitorId, consent, text: SHOWN });
  const recordedAt = Date.parse(receipt.recordedAt);
  expect(recordedAt).toBeGreaterThanOrEqual(before);
  expect(recordedAt).toBeLessThanOrEqual(Date.now());
  const secret = bindings.SESSION_SECRET;
  expect(await isSigned(receipt, ["another secret of the same length", secret])).toBe(true);
  expect(await isSigned(receipt, ["another secret of the same length"])).toBe(false);
  for (const forged of [
    { ...receipt, visitorId: crypto.randomUUID() },
    { ...receipt, site: "b" },
    { ...receipt, consent: { ...consent, scopes: ["collect" as const] } },
    { ...receipt, text: { ...SHOWN, language: "fr" } },
    { ...receipt, recordedAt: consent.grantedAt },
  ]) {
    expect(await isSigned(forged, [secret])).toBe(false);
  }
  // The first request decides, also if a later one names another text.
  const again = await record({ consent, text: { sha256: "b".repeat(64) } });
  expect(again.body).toEqual(receipt);
});

test("a request without a receipt of exactly its consent, visitor and site is refused by name", async () => {
  const consent = consentOf({ choices: true });
  expect(await send(consent)).toBe("CONSENT_UNPROVEN");
  await agree(token, consent);
  const others: Consent[] = [
    { ...consent, version: "2" },
    { ...consent, scopes: ["collect", "train", "feedback"] },
    { ...consent, scopes: ["collect"] },
    { ...consent, grantedAt: new Date().toISOString() },
  ];
  for (const other of others) expect(await send(other)).toBe("CONSENT_UNPROVEN");
  const proven = token;
  await openUnproven();
  expect(await send(consent)).toBe("CONSENT_UNPROVEN");
  const site = await makeSite("other");
  await agree((await openSite(site)).token, consent);
  expect(await send(consent)).toBe("CONSENT_UNPROVEN");
  expect(await stored()).toEqual(NOTHING);
  expect(await send(consent, proven)).toBe("accepted");
});

test("a page of the previous release, which has no receipt, may practice and nothing else", async () => {
  const practice = await makeUpload(baseModel, await assign(token));
  const body = { trajectories: [practice] };
  expect(await call("POST", "/v1/trajectories", { token, body })).toMatchObject({ status: 200 });
  expect(await send(consentOf())).toBe("CONSENT_UNPROVEN");
  expect((await giveAsPage(token, feedbackOn(practice.trajectory))).status).toBe(200);
  const thumb = await giveAsPage(token, feedbackOn({ id: crypto.randomUUID() }));
  // Such a page repeats what was answered so. After a reload, the new page sends the rest with a receipt.
  expect(thumb).toMatchObject({ status: 425, body: { error: { code: "CONSENT_UNPROVEN" } } });
  await agree(token, consentOf());
  const unproven = await makeUpload(baseModel, await assign(token));
  const { results } = await call("POST", "/v1/trajectories", {
    token,
    body: { trajectories: [unproven] },
  }).then(({ body }) => body as { results: object[] });
  expect(results).toMatchObject([{ code: "CONSENT_UNPROVEN" }]);
});

test("a request of an open page of the previous release waits for the reload, and practice beside it is taken", async () => {
  const [request, task] = [
    await makeUpload(baseModel, null),
    await makeUpload(baseModel, await assign(token)),
  ];
  const both = { trajectories: [request, task] };
  expect(await call("POST", "/v1/trajectories", { token, body: both })).toMatchObject({
    status: 425,
    body: { results: [{ code: "CONSENT_UNPROVEN" }, { status: "accepted" }] },
  });
  await agree(token, request.trajectory.consent);
  await agree(token, task.trajectory.consent);
  expect(await call("POST", "/v1/trajectories", { token, body: both })).toMatchObject({
    status: 200,
    body: { results: [{ status: "accepted" }, { status: "duplicate" }] },
  });
});

test("after a narrower consent, neither requests under the wider one nor feedback are taken", async () => {
  const wide = consentOf({ choices: true, scopes: ["collect", "train", "feedback"] });
  const narrow = consentOf({
    choices: true,
    scopes: ["collect"],
    grantedAt: new Date().toISOString(),
  });
  await agree(token, narrow);
  // Recorded later, given earlier: the page was offline in between.
  await agree(token, wide);
  expect(await send(wide)).toBe("CONSENT_MISSING");
  expect(await send(narrow)).toBe("accepted");
  const thumb = await giveAsPage(token, feedbackOn({ id: crypto.randomUUID() }));
  expect(thumb).toMatchObject({ status: 403, body: { error: { code: "CONSENT_MISSING" } } });
});

test("a receipt withdraws its consent from any session of the site, once, and forged ones change nothing", async () => {
  const consent = consentOf();
  const receipt = await agree(token, consent);
  const former = token;
  await openUnproven();
  const forged = { ...receipt, signature: "A".repeat(43) };
  const site = await makeSite("other");
  expect(await withdraw([forged])).toEqual({ withdrawn: 0 });
  expect(await withdraw([receipt], (await openSite(site)).token)).toEqual({ withdrawn: 0 });
  expect(await send(consent, former)).toBe("accepted");
  expect(await withdraw([forged, receipt])).toEqual({ withdrawn: 1 });
  expect(await withdraw([receipt])).toEqual({ withdrawn: 0 });
  expect(await send(consent, former)).toBe("CONSENT_MISSING");
  expect(await record({ consent }, former)).toMatchObject({
    status: 403,
    body: { error: { code: "CONSENT_MISSING" } },
  });
  // A new answer of the visitor counts.
  const renewed = consentOf({ grantedAt: new Date().toISOString() });
  await agree(former, renewed);
  expect(await send(renewed, former)).toBe("accepted");
});

test("an operator sees the receipt of a trajectory, and an export and the visitor's own data have all", async () => {
  const consent = consentOf();
  const { body: receipt } = await record({ consent, text: SHOWN });
  const trajectory = await makeUpload(baseModel, null, { consent });
  await upload(token, trajectory);
  const detail = (digest: string): Promise<TrajectoryDetail> =>
    ask("GET", `/v1/operator/trajectories/${digest}`, asOperator);
  expect((await detail(trajectory.digest)).receipt).toEqual({ receipt, withdrawnAt: null });
  await withdraw([ConsentReceipt.parse(receipt)]);
  const { receipt: withdrawn } = await detail(trajectory.digest);
  expect(Date.parse(withdrawn?.withdrawnAt ?? "")).toBeLessThanOrEqual(Date.now());
  const lines = async (path: string, as: string): Promise<VisitorExportLine[]> => {
    const text = String((await call("GET", path, { token: as })).body).trimEnd();
    return text.split("\n").map((line) => JSON.parse(line) as VisitorExportLine);
  };
  const exported = await lines(`/v1/operator/visitors/${visitorId}/export`, asOperator.token);
  const own = await lines("/v1/visitor", token);
  for (const all of [exported, own]) {
    expect(all.filter(({ kind }) => kind === "receipt")).toEqual([
      { kind: "receipt", ...withdrawn },
    ]);
  }
});

test("a forgotten visitor has no receipt and gets none, and an old consent gets none either", async () => {
  const consent = consentOf();
  await agree(token, consent);
  await ask("DELETE", "/v1/visitor", { token });
  const count = () => bindings.DB.prepare("SELECT COUNT(*) AS n FROM consents").first("n");
  expect(await count()).toBe(0);
  expect(await record({ consent })).toMatchObject({ body: { error: { code: "CONSENT_MISSING" } } });
  await openUnproven();
  const settings = { consentDays: 30 };
  await ask("PUT", "/v1/operator/sites/default", { ...asOperator, body: { settings } });
  for (const ms of [-2 * DAY, 31 * DAY]) {
    const grantedAt = new Date(Date.now() - ms).toISOString();
    const refused = await record({ consent: consentOf({ grantedAt }) });
    expect(refused).toMatchObject({ status: 403, body: { error: { code: "CONSENT_MISSING" } } });
  }
  expect(await count()).toBe(0);
});

test("a visitor agrees at most 100 times, and a session without consent gets no receipt", async () => {
  const at = Date.now() - 1000;
  const times = Array.from({ length: 100 }, (_, i) => new Date(at + i).toISOString());
  await bindings.DB.batch(
    times.map((grantedAt) =>
      bindings.DB.prepare(
        "INSERT INTO consents VALUES ('default', ?1, ?2, NULL, NULL, 1, 'x', NULL)",
      ).bind(visitorId, canonicalJson(consentOf({ grantedAt }))),
    ),
  );
  const more = await record({ consent: consentOf({ version: "2" }) });
  expect(more).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
  const visit = await ask<{ token: string }>("POST", "/v1/sessions", {
    body: { siteKey: "test-site", remember: false },
  });
  const refused = await record({ consent: consentOf() }, visit.token);
  expect(refused).toMatchObject({ status: 403, body: { error: { code: "CONSENT_MISSING" } } });
});

test("retention deletes receipts that are over and have no trajectory, and no others", async () => {
  const site = { ...asOperator, body: { settings: { retentionDays: 30, consentDays: 100 } } };
  await ask("PUT", "/v1/operator/sites/default", site);
  const current = consentOf();
  await agree(token, current);
  const withdrawn = consentOf({ version: "2" });
  await withdraw([await agree(token, withdrawn)]);
  const expire = (days: number) =>
    runInDurableObject(coordinatorOf(bindings, DEFAULT_SITE), (object) =>
      object.expire(Date.now() + days * DAY),
    );
  const left = async (): Promise<string[]> => {
    const { results } = await bindings.DB.prepare("SELECT consent FROM consents").all<{
      consent: string;
    }>();
    return results.map(({ consent }) => consent);
  };
  await expire(29);
  expect(await left()).toHaveLength(2);
  await expire(31);
  expect(await left()).toEqual([canonicalJson(current)]);
  await upload(token, await makeUpload(baseModel, null, { consent: current }));
  await bindings.DB.prepare("UPDATE trajectories SET receivedAt = receivedAt + ?1")
    .bind(1000 * DAY)
    .run();
  await expire(101);
  expect(await left()).toHaveLength(1);
  await bindings.DB.prepare("DELETE FROM trajectories").run();
  await expire(101);
  expect(await left()).toEqual([]);
});

test("all consents whose time is over are deleted at once, however many they are", async () => {
  const site = { ...asOperator, body: { settings: { retentionDays: 30 } } };
  await ask("PUT", "/v1/operator/sites/default", site);
  await bindings.DB.prepare(
    `INSERT INTO consents
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1001)
     SELECT 'default', 'visitor ' || i, ?1, NULL, NULL, i, 'x', 1 FROM n`,
  )
    .bind(canonicalJson(consentOf()))
    .run();
  await runInDurableObject(coordinatorOf(bindings, DEFAULT_SITE), (object) =>
    object.expire(Date.now()),
  );
  expect(await bindings.DB.prepare("SELECT COUNT(*) AS n FROM consents").first("n")).toBe(0);
});

test("the search for the oldest consent that can be deleted reads a bounded number of rows", async () => {
  // Visitors with a trajectory, before one without.
  const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";
  const write = (count: number) =>
    bindings.DB.batch([
      bindings.DB.prepare(
        `INSERT INTO consents ${numbers}
         SELECT 'default', 'visitor ' || i, ?2, NULL, NULL, i, 'x', IIF(i % 2, NULL, 1) FROM n WHERE 1
         ON CONFLICT DO NOTHING`,
      ).bind(count, canonicalJson(consentOf())),
      bindings.DB.prepare(
        `INSERT INTO trajectories (site, digest, id, visitorId, policyVersion, tokens, stopReason, objectKey, sizeBytes,
           receivedAt, status) ${numbers}
         SELECT 'default', 'digest ' || i, 'id ' || i, 'visitor ' || i, 0, 1, 'completed', 'k', 1, i, 'learned'
         FROM n WHERE i < 2500 ON CONFLICT DO NOTHING`,
      ).bind(count),
    ]);
  await write(2500);
  const meter = meterRows(bindings.DB);
  const db = siteDatabase(meter.DB, DEFAULT_SITE);
  for (const isWithdrawn of [true, false]) {
    meter.rows = 0;
    expect(await oldestConsentAt(db, isWithdrawn)).toBeNull();
    expect(meter.rows).toBeLessThan(2000);
  }
  await bindings.DB.prepare("DELETE FROM trajectories WHERE id IN ('id 40', 'id 41')").run();
  expect(await oldestConsentAt(db, true)).toBe(40);
  expect(await oldestConsentAt(db, false)).toBe(41);
});
