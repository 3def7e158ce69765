/** Records whose visitor no longer agrees to learning: no trainer gets them, and each is counted with a reason. */
import {
  type Consent,
  type LeaseResponse,
  type OperatorSummary,
  type RenewResponse,
  type TrajectoryDetail,
  type TrajectoryOutcome,
} from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import {
  agree,
  ask,
  asOperator,
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

type Recorded = Upload & { readonly token: string; readonly visitorId: string };

/** A request of a new visitor, or of the one with this session. */
async function request(
  edit: Partial<Consent> = {},
  of?: Pick<Recorded, "token" | "visitorId">,
  at = site,
): Promise<Recorded> {
  const { token, visitorId } = of ?? (await openSite(at));
  const base = at === site ? baseModel : await registerBase(at);
  const { consent } = (await makeUpload(base, null)).trajectory;
  const sent = await makeUpload(base, null, { consent: { ...consent, ...edit } });
  const { results } = await upload(token, sent);
  if (results[0]?.status !== "accepted") throw new Error(`got ${JSON.stringify(results)}`);
  return { ...sent, token, visitorId };
}

/** Withdraws the consent of a record, from another session, as pages do. */
async function withdraw({
  token,
  trajectory,
}: Pick<Recorded, "token" | "trajectory">): Promise<void> {
  const receipt = await agree(token, trajectory.consent);
  const { token: other } = await openSite(site);
  const body = { receipts: [receipt] };
  expect(await ask("POST", "/v1/consents/withdrawals", { token: other, body })).toEqual({
    withdrawn: 1,
  });
}

const digestsIn = ({ groups }: LeaseResponse): string[] =>
  groups.flatMap(({ trajectories }) => trajectories.map(({ digest }) => digest)).toSorted();
const digestsOf = (...records: readonly Upload[]): string[] =>
  records.map(({ digest }) => digest).toSorted();

const answer = <T>(
  { leaseId, fencingToken }: LeaseResponse,
  what: string,
  more: object = {},
): Promise<T> =>
  ask("POST", `/v1/trainer/leases/${leaseId}/${what}`, {
    ...site.trainer,
    body: { fencingToken, ...more },
  });
const acknowledge = (leased: LeaseResponse, outcomes: readonly TrajectoryOutcome[]) =>
  answer(leased, "acknowledge", { outcomes });
const renew = async (leased: LeaseResponse): Promise<readonly string[] | undefined> =>
  (await answer<RenewResponse>(leased, "renew", { durationSeconds: 600 })).forgotten;

const detailOf = ({ digest }: Upload): Promise<TrajectoryDetail> =>
  ask("GET", `/v1/operator/trajectories/${digest}`, site.operator);
const stateOf = async (record: Upload) => {
  const { row } = await detailOf(record);
  return [row.status, row.reason, row.learnedAtStep];
};
const summary = (): Promise<OperatorSummary> => ask("GET", "/v1/operator/summary", site.operator);
const WITHDRAWN = ["skipped", "consent-withdrawn", null];

test("a record whose consent is withdrawn between upload and lease is not leased and is counted; others are leased", async () => {
  const [withdrawn, kept] = [await request(), await request()];
  expect((await detailOf(withdrawn)).consentEnded).toBeNull();
  await withdraw(withdrawn);
  expect((await detailOf(withdrawn)).consentEnded).toBe("consent-withdrawn");
  expect(digestsIn(await leaseAt(site))).toEqual(digestsOf(kept));
  expect(await stateOf(withdrawn)).toEqual(WITHDRAWN);
  const { trajectories, skippedByReason } = await summary();
  expect(trajectories).toMatchObject({ received: 2, waiting: 0, leased: 1, skipped: 1 });
  expect(skippedByReason).toEqual([{ reason: "consent-withdrawn", count: 1 }]);
  expect((await leaseAt(site)).leaseId).toBeNull();
});

test("what a visitor agrees to after a withdrawal is leased, and nothing of before", async () => {
  const before = await request();
  await withdraw(before);
  const after = await request({ grantedAt: new Date().toISOString() }, before);
  expect(digestsIn(await leaseAt(site))).toEqual(digestsOf(after));
  expect(await stateOf(before)).toEqual(WITHDRAWN);
});

test("a visitor who allows less since ends what was recorded for more, and one who allows as much does not", async () => {
  const all = { choices: true, scopes: ["collect", "train", "feedback"] } as const;
  const now = new Date().toISOString();
  const wide: Partial<Consent> = { ...all, scopes: [...all.scopes] };
  const agreeTo = async (scopes: Consent["scopes"]): Promise<Recorded> => {
    const record = await request(wide);
    await agree(record.token, { ...record.trajectory.consent, scopes, grantedAt: now });
    return record;
  };
  const [less, noFeedback] = [await agreeTo(["collect"]), await agreeTo(["collect", "train"])];
  const same = await agreeTo(["collect", "train", "feedback"]);
  // Without choices, training covers feedback.
  const plain = await request(wide);
  await agree(plain.token, { version: "1", scopes: ["collect", "train"], grantedAt: now });
  expect(digestsIn(await leaseAt(site))).toEqual(digestsOf(same, plain));
  for (const ended of [less, noFeedback]) expect(await stateOf(ended)).toEqual(WITHDRAWN);
});

test("a consent that has expired since the upload ends its records", async () => {
  const [old, fresh] = [await request(), await request({ grantedAt: new Date().toISOString() })];
  const settings = { consentDays: 1 };
  await ask("PUT", `/v1/operator/sites/${site.id}`, { ...asOperator, body: { settings } });
  expect(digestsIn(await leaseAt(site))).toEqual(digestsOf(fresh));
  expect(await stateOf(old)).toEqual(["skipped", "consent-expired", null]);
  expect((await detailOf(old)).consentEnded).toBe("consent-expired");
});

test("a group of a task loses the record and keeps the others", async () => {
  await ask("PUT", `/v1/operator/sites/${site.id}`, {
    ...asOperator,
    body: { settings: { groupSize: 2 } },
  });
  const visitors = [await openSite(site), await openSite(site)];
  const [first, second] = [
    { ...(await workAt(visitors[0]?.token ?? "", baseModel)), token: visitors[0]?.token ?? "" },
    await workAt(visitors[1]?.token ?? "", baseModel),
  ];
  expect(second.assignment.groupId).toBe(first.assignment.groupId);
  await withdraw(first);
  const leased = await leaseAt(site);
  expect(digestsIn(leased)).toEqual(digestsOf(second));
  await acknowledge(leased, [{ digest: second.digest, status: "learned", step: 1 }]);
  expect(await stateOf(first)).toEqual(WITHDRAWN);
  const groups = await bindings.DB.prepare("SELECT state FROM taskGroups").all();
  expect(groups.results).toEqual([{ state: "done" }]);
});

test("a group of which nothing is left is done and gives its place to new tasks", async () => {
  const { token } = await openSite(site);
  const task = { ...(await workAt(token, baseModel)), token };
  await withdraw(task);
  expect((await leaseAt(site)).leaseId).toBeNull();
  expect(await stateOf(task)).toEqual(WITHDRAWN);
  const groups = await bindings.DB.prepare("SELECT state FROM taskGroups").all();
  expect(groups.results).toEqual([{ state: "done" }]);
});

test("a trainer that holds a record hears of the withdrawal when it renews, and what it does not learn is counted", async () => {
  const [gone, kept] = [await request(), await request()];
  const leased = await leaseAt(site);
  expect(digestsIn(leased)).toEqual(digestsOf(gone, kept));
  expect(await renew(leased)).toEqual([]);
  await withdraw(gone);
  expect(await renew(leased)).toEqual([gone.digest]);
  // As trainers report records of visitors who were forgotten.
  const outcomes: TrajectoryOutcome[] = [
    { digest: gone.digest, status: "skipped", reason: "forgotten" },
    { digest: kept.digest, status: "learned", step: 4 },
  ];
  expect(await acknowledge(leased, outcomes)).toEqual({ acknowledged: 2, twice: 0 });
  expect(await stateOf(gone)).toEqual(WITHDRAWN);
  expect(await stateOf(kept)).toEqual(["learned", null, 4]);
  expect((await leaseAt(site)).leaseId).toBeNull();
});

test("a record that was learned before the trainer heard of the withdrawal says so", async () => {
  const record = await request();
  const leased = await leaseAt(site);
  await withdraw(record);
  await acknowledge(leased, [{ digest: record.digest, status: "learned", step: 4 }]);
  expect(await stateOf(record)).toEqual(["learned", null, 4]);
});

test.each(["acknowledge", "release"])(
  "a withdrawn record that a trainer gives back by %s is not leased again and counts no failure",
  async (how) => {
    const record = await request();
    const leased = await leaseAt(site);
    await withdraw(record);
    await answer(leased, how, how === "acknowledge" ? { outcomes: [] } : {});
    expect((await leaseAt(site)).leaseId).toBeNull();
    expect(await stateOf(record)).toEqual(WITHDRAWN);
    const failed = await bindings.DB.prepare("SELECT failedLeases FROM trajectories").first(
      "failedLeases",
    );
    expect(failed).toBe(0);
  },
);

test("many withdrawn records do not hide others behind them", async () => {
  const first = await request();
  const withdrawn = [first];
  for (let i = 0; i < 9; i += 1) withdrawn.push(await request({}, first));
  const kept = await request();
  await withdraw(first);
  const one = () =>
    ask<LeaseResponse>("POST", "/v1/trainer/leases", {
      ...site.trainer,
      body: { trainerId: "test", maxGroups: 1, durationSeconds: 60 },
    });
  // A call looks at a bounded number of groups.
  expect((await one()).leaseId).toBeNull();
  expect(digestsIn(await one())).toEqual(digestsOf(kept));
  expect((await summary()).skippedByReason).toEqual([{ reason: "consent-withdrawn", count: 10 }]);
});

test("a row of an earlier release ends with any withdrawal since it was received", async () => {
  const before = await request();
  await withdraw(before);
  const after = await request({ grantedAt: new Date().toISOString() }, before);
  const { DB } = bindings;
  await DB.prepare("UPDATE trajectories SET consent = NULL").run();
  await DB.prepare("UPDATE trajectories SET receivedAt = receivedAt + 1 WHERE digest = ?1")
    .bind(after.digest)
    .run();
  expect(digestsIn(await leaseAt(site))).toEqual(digestsOf(after));
  expect(await stateOf(before)).toEqual(WITHDRAWN);
});

test("a withdrawal at one site ends nothing at another, also for the same id and the same consent", async () => {
  const record = await request();
  const other = await makeSite("other");
  const there = await request({}, undefined, other);
  await bindings.DB.prepare("UPDATE trajectories SET visitorId = ?1 WHERE digest = ?2")
    .bind(record.visitorId, there.digest)
    .run();
  await bindings.DB.prepare(
    "UPDATE consents SET visitorId = ?1 WHERE site = 'other' AND visitorId = ?2",
  )
    .bind(record.visitorId, there.visitorId)
    .run();
  await bindings.DB.prepare("UPDATE consents SET withdrawnAt = ?1 WHERE site = 'other'")
    .bind(Date.now())
    .run();
  expect(digestsIn(await leaseAt(site))).toEqual(digestsOf(record));
  expect((await leaseAt(other)).leaseId).toBeNull();
  expect((await summary()).skippedByReason).toEqual([]);
});

test("practice of a visitor without any receipt is leased, until the visitor has withdrawn", async () => {
  const { token } = await ask<{ token: string }>("POST", "/v1/sessions", {
    body: { siteKey: site.siteKey },
  });
  const task = await workAt(token, baseModel);
  const leased = await leaseAt(site);
  expect(digestsIn(leased)).toEqual(digestsOf(task));
  await answer(leased, "release");
  await withdraw({
    token,
    trajectory: { ...task.trajectory, consent: { ...task.trajectory.consent, version: "2" } },
  });
  expect((await leaseAt(site)).leaseId).toBeNull();
});

test("staff write no answer to a request whose consent has ended", async () => {
  const record = await request();
  await withdraw(record);
  const path = `/v1/operator/trajectories/${record.digest}/notes`;
  const body = { id: crypto.randomUUID(), kind: "answer", text: "It costs 3." };
  const refused = await call("POST", path, { ...site.operator, body });
  expect(refused.status).toBe(409);
  expect(JSON.stringify(refused.body)).toContain("(consent-withdrawn)");
});
