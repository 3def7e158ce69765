/** The requests that a trainer compares versions at: which it may read, and what makes them vanish. */
import {
  type ConsentReceipt,
  type LeasedTrajectory,
  type RequestsResponse,
  type SessionResponse,
  type TrajectoryOutcome,
  trajectoryDigest,
} from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import { forgetSites } from "../sites/site-directory.ts";
import {
  agree,
  ask,
  asOperator,
  asTrainer,
  bindings,
  call,
  freshEdge,
  makeUpload,
  type Upload,
  upload,
} from "../testing/edge.ts";
import {
  leaseAt,
  makeSite,
  openSite,
  registerBase,
  type TestSite,
  workAt,
} from "../testing/sites.ts";

let site: TestSite;
let baseModel = "";

beforeEach(async () => {
  await freshEdge();
  site = await makeSite("desk");
  baseModel = await registerBase(site);
});

/** A new visitor's request. */
async function requestOf(
  edit: Parameters<typeof makeUpload>[2] = {},
): Promise<{ readonly session: SessionResponse; readonly request: Upload }> {
  const session = await openSite(site);
  const request = await makeUpload(baseModel, null, edit);
  const { results } = await upload(session.token, request);
  if (results[0]?.status !== "accepted") throw new Error(`got ${JSON.stringify(results)}`);
  return { session, request };
}

const listed = async (from = site.trainer): Promise<string[]> =>
  (await ask<RequestsResponse>("GET", "/v1/trainer/requests", from)).requests.map(
    ({ digest }) => digest,
  );
const read = (digest: string, from = site.trainer) =>
  call("GET", `/v1/trainer/requests/${digest}`, from);
const GONE = { status: 404, body: { error: { code: "NOT_FOUND" } } };

/** Leases what there is and acknowledges it with this outcome. */
async function settle(outcome: Omit<TrajectoryOutcome, "digest">): Promise<void> {
  const { leaseId, fencingToken, groups } = await leaseAt(site);
  const outcomes = groups
    .flatMap(({ trajectories }) => trajectories)
    .map(({ digest }) => ({ ...outcome, digest }));
  const path = `/v1/trainer/leases/${leaseId}/acknowledge`;
  await ask("POST", path, { ...site.trainer, body: { fencingToken, outcomes } });
}

test("a request is listed and read as it was stored, without a lease and without its feedback", async () => {
  const { session, request } = await requestOf();
  const thumb = {
    id: crypto.randomUUID(),
    trajectoryId: request.trajectory.id,
    kind: "thumb-down",
    at: "2026-11-20T12:00:00.000Z",
  };
  await ask("POST", "/v1/feedback", { token: session.token, body: thumb });
  expect(await listed()).toEqual([request.digest]);
  const found = (await read(request.digest)).body as LeasedTrajectory;
  expect(found).toMatchObject({ digest: request.digest, visitorId: session.visitorId });
  expect(await trajectoryDigest(found.trajectory)).toBe(request.digest);
  expect(found.feedback).toEqual([]);
  const { groups } = await leaseAt(site);
  expect(groups[0]?.trajectories[0]?.digest).toBe(request.digest);
});

test("practice tasks, and what was learned from or refused, are not requests", async () => {
  const { session, request } = await requestOf();
  const task = await workAt(session.token, baseModel);
  expect(await listed()).toEqual([request.digest]);
  expect(await read(task.digest)).toMatchObject(GONE);
  await settle({ status: "skipped", reason: "no-feedback" });
  expect(await listed()).toEqual([request.digest]);
  const { request: learned } = await requestOf();
  await settle({ status: "learned", step: 1, reward: 1 });
  expect(await listed()).toEqual([request.digest]);
  expect(await read(learned.digest)).toMatchObject(GONE);
  const { request: forged } = await requestOf();
  await settle({ status: "rejected", reason: "log-prob-gap" });
  const { request: quarantined } = await requestOf();
  await settle({ status: "skipped", reason: "quarantined" });
  expect(await listed()).toEqual([request.digest]);
  for (const { digest } of [forged, quarantined]) expect(await read(digest)).toMatchObject(GONE);
});

test("another site's trainer, a page and an operator read none of it", async () => {
  const { session, request } = await requestOf();
  const other = await makeSite("other");
  expect(await listed(other.trainer)).toEqual([]);
  expect(await read(request.digest, other.trainer)).toMatchObject(GONE);
  expect(await listed(asTrainer)).toEqual([]);
  for (const credential of [{ token: session.token }, site.operator, {}]) {
    const path = "/v1/trainer/requests";
    expect(await call("GET", path, credential)).toMatchObject({ status: 401 });
    const one = await call("GET", `${path}/${request.digest}`, credential);
    expect(one).toMatchObject({ status: 401 });
  }
});

test("a withdrawn request vanishes, also if the visitor agrees again to less", async () => {
  const { session, request } = await requestOf();
  expect((await read(request.digest)).status).toBe(200);
  const receipt: ConsentReceipt = await agree(session.token, request.trajectory.consent);
  const { token } = await openSite(site);
  await ask("POST", "/v1/consents/withdrawals", { token, body: { receipts: [receipt] } });
  expect(await read(request.digest)).toMatchObject(GONE);
  await agree(session.token, {
    version: "1",
    scopes: ["collect"],
    choices: true,
    grantedAt: new Date().toISOString(),
  });
  expect(await read(request.digest)).toMatchObject(GONE);
});

test("a request vanishes when its visitor is forgotten, allows less, or the consent expires", async () => {
  const { session, request } = await requestOf();
  await ask("DELETE", "/v1/visitor", { token: session.token });
  expect(await listed()).toEqual([]);
  expect(await read(request.digest)).toMatchObject(GONE);

  const narrowed = await requestOf();
  await agree(narrowed.session.token, {
    version: "1",
    scopes: ["collect"],
    choices: true,
    grantedAt: new Date().toISOString(),
  });
  expect(await read(narrowed.request.digest)).toMatchObject(GONE);

  const { request: old } = await requestOf();
  expect((await read(old.digest)).status).toBe(200);
  const body = { settings: { consentDays: 1 } };
  await ask("PUT", `/v1/operator/sites/${site.id}`, { ...asOperator, body });
  forgetSites();
  expect(await read(old.digest)).toMatchObject(GONE);
});

test("a request without consent to training, or whose object is gone, is not given", async () => {
  const consent = {
    version: "1",
    scopes: ["collect" as const],
    choices: true as const,
    grantedAt: "2026-11-20T12:00:00.000Z",
  };
  const { request: kept } = await requestOf({ consent });
  expect(await listed()).toEqual([]);
  expect(await read(kept.digest)).toMatchObject(GONE);
  const { request } = await requestOf();
  const { objects } = await bindings.OBJECTS.list({ prefix: "sites/desk/" });
  const own = objects.filter(({ key }) => key.includes(request.digest));
  await bindings.OBJECTS.delete(own.map(({ key }) => key));
  expect(await read(request.digest)).toMatchObject(GONE);
});
