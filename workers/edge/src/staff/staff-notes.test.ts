/** Notes of a site's staff: who gets them and when, and that they go with their trajectory. */
import {
  type AuditResponse,
  type BackupResponse,
  DEFAULT_SITE,
  type Feedback,
  type LeasedGroup,
  type LeaseResponse,
  OPERATOR_NAME_HEADER,
  type ReconcileResponse,
  type StaffNote,
  type StaffNoteRequest,
  type TrajectoryDetail,
} from "@waggle/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
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
  work,
} from "../testing/edge.ts";
import { feedbackOn, giveAsPage } from "../testing/feedback.ts";
import { nextLease, nothingToLease } from "../testing/leases.ts";
import { deleteExpired } from "../retention.ts";

const STAFF = { ...asOperator, headers: { [OPERATOR_NAME_HEADER]: "Ann" } };

let baseModel = "";
let token = "";
let visitorId = "";

beforeEach(async () => {
  Object.assign(bindings, { FEEDBACK_WAIT_SECONDS: "1", FEEDBACK_FROM: "thumb,staff" });
  baseModel = await freshEdge();
  const settings = { groupSize: 1, groupDeadlineSeconds: 1 };
  await ask("PUT", "/v1/operator/sites/default", { ...asOperator, body: { settings } });
  ({ token, visitorId } = await openSession());
});
afterEach(() => {
  Object.assign(bindings, { FEEDBACK_WAIT_SECONDS: "0", FEEDBACK_FROM: "thumb" });
});

async function liveRequest(): Promise<Upload> {
  const request = await makeUpload(baseModel, null);
  await upload(token, request);
  return request;
}

async function give(kind: Feedback["kind"], { trajectory }: Upload): Promise<void> {
  expect((await giveAsPage(token, feedbackOn(trajectory, { kind }))).status).toBe(200);
}

const pathOf = (digest: string) => `/v1/operator/trajectories/${digest}/notes`;
const noted = (text: string, kind: StaffNoteRequest["kind"] = "answer"): StaffNoteRequest => ({
  id: crypto.randomUUID(),
  kind,
  text,
});
const write = ({ digest }: Upload, body: StaffNoteRequest) =>
  ask<StaffNote>("POST", pathOf(digest), { ...STAFF, body });

const answersIn = (groups: readonly LeasedGroup[]) =>
  groups.flatMap(({ trajectories }) =>
    trajectories.map(({ digest, staffAnswer = null }) => [digest, staffAnswer]),
  );

async function acknowledge(
  { leaseId, fencingToken, groups }: LeaseResponse,
  step: number | null,
  reason = "no-feedback",
) {
  const result = step === null ? { status: "skipped", reason } : { status: "learned", step };
  const outcomes = answersIn(groups).map(([digest]) => ({ digest, ...result }));
  const body = { fencingToken, outcomes };
  await ask("POST", `/v1/trainer/leases/${leaseId}/acknowledge`, { ...asTrainer, body });
}

async function statusOf({ digest }: Upload) {
  const { row, notes } = await ask<TrajectoryDetail>(
    "GET",
    `/v1/operator/trajectories/${digest}`,
    asOperator,
  );
  return { status: row.status, learnedAtStep: row.learnedAtStep, notes: notes ?? [] };
}

test("an answer makes a waiting request ready, and the newest one goes with its lease; a comment does not", async () => {
  const [answered, commented] = [await liveRequest(), await liveRequest()];
  await write(commented, noted("Look at this.", "comment"));
  await write(answered, noted("It costs 4."));
  await write(answered, noted("It costs 3."));
  await write(answered, noted("The price list is old.", "comment"));
  const leased = await nextLease();
  expect(answersIn(leased.groups)).toEqual([[answered.digest, "It costs 3."]]);
  await acknowledge(leased, 1);
  expect(await nothingToLease()).toBe(true);
  expect(await statusOf(commented)).toMatchObject({ status: "waiting" });
});

test("an answer that comes before its request is placed counts", async () => {
  const request = await makeUpload(baseModel, null);
  await upload(token, request);
  await write(request, noted("It costs 3."));
  expect(answersIn((await nextLease()).groups)).toEqual([[request.digest, "It costs 3."]]);
});

test.each([["learned"], ["skipped"]] as const)(
  "a request that was %s is leased once more with a later answer, and its first step stays noted",
  async (before) => {
    const request = await liveRequest();
    await give("thumb-down", request);
    const first = await nextLease();
    expect(answersIn(first.groups)).toEqual([[request.digest, null]]);
    await acknowledge(first, before === "learned" ? 3 : null);
    expect(await statusOf(request)).toMatchObject({ status: before });
    await write(request, noted("It costs 3."));
    const second = await nextLease();
    expect(answersIn(second.groups)).toEqual([[request.digest, "It costs 3."]]);
    // If the operator stops the signal of staff, nothing is left that could teach a second time.
    const kinds = second.groups[0]?.trajectories[0]?.feedback.map(({ kind }) => kind);
    expect(kinds).toEqual(before === "learned" ? [] : ["thumb-down"]);
    await acknowledge(second, 9);
    const learnedAtStep = before === "learned" ? 3 : 9;
    expect(await statusOf(request)).toMatchObject({ status: "learned", learnedAtStep });
    expect(await nothingToLease()).toBe(true);
  },
);

test("an answer that is written while the trainer holds the request is not lost", async () => {
  const request = await liveRequest();
  await give("thumb-down", request);
  const first = await nextLease();
  await write(request, noted("It costs 3."));
  await acknowledge(first, 3);
  const second = await nextLease();
  expect(answersIn(second.groups)).toEqual([[request.digest, "It costs 3."]]);
  await acknowledge(second, 4);
  expect(await nothingToLease()).toBe(true);
});

test("an answer of a lease that was given back goes with the next one too", async () => {
  const request = await liveRequest();
  await write(request, noted("It costs 3."));
  const { leaseId, fencingToken } = await nextLease();
  const body = { fencingToken };
  await ask("POST", `/v1/trainer/leases/${leaseId}/release`, { ...asTrainer, body });
  expect(answersIn((await nextLease()).groups)).toEqual([[request.digest, "It costs 3."]]);
});

test("the leases of a site that does not name staff have no answers, and those make nothing ready", async () => {
  const settings = { groupSize: 1, groupDeadlineSeconds: 1, feedbackFrom: ["thumb"] };
  await ask("PUT", "/v1/operator/sites/default", { ...asOperator, body: { settings } });
  const [silent, rated] = [await liveRequest(), await liveRequest()];
  await give("thumb-down", rated);
  for (const request of [silent, rated]) await write(request, noted("It costs 3."));
  const leased = await nextLease();
  expect(answersIn(leased.groups)).toEqual([[rated.digest, null]]);
  await write(rated, noted("It costs 4."));
  await acknowledge(leased, 1);
  await write(rated, noted("It costs 5."));
  expect(await nothingToLease()).toBe(true);
});

test("a note is redacted, has the operator's name, is logged without its text, and can be sent again", async () => {
  const request = await liveRequest();
  const note = noted("Write to ann@example.com.");
  const stored = await write(request, note);
  expect(stored).toMatchObject({ id: note.id, text: "Write to [EMAIL_1].", by: "Ann" });
  expect(await write(request, note)).toEqual(stored);
  expect((await statusOf(request)).notes).toEqual([stored]);
  const { entries } = await ask<AuditResponse>("GET", "/v1/operator/audit", asOperator);
  const written = entries.filter(({ action }) => action.startsWith("write-"));
  const reason = `trajectory ${request.digest.slice(0, 16)}`;
  expect(written).toMatchObject([{ action: "write-answer", by: "Ann", reason }]);
});

test("notes that cannot be are refused", async () => {
  const [request, other] = [await liveRequest(), await liveRequest()];
  const task = await work(token, baseModel);
  const at = "2026-11-20T12:00:00.000Z";
  const consent = { version: "1", scopes: ["collect"], choices: true, grantedAt: at } as const;
  const kept = await makeUpload(baseModel, null, { consent });
  await upload(token, kept);
  const note = noted("It costs 3.");
  await write(request, note);
  const status = async (digest: string, body: unknown, as: object = STAFF) =>
    (await call("POST", pathOf(digest), { ...as, body })).status;
  expect(await status(request.digest, { ...note, text: "It costs 4." })).toBe(409);
  expect(await status(other.digest, note)).toBe(409);
  expect(await status(task.digest, noted("It costs 3."))).toBe(409);
  expect(await status(task.digest, noted("Too hard?", "comment"))).toBe(200);
  expect(await status(kept.digest, noted("It costs 3."))).toBe(409);
  expect((await statusOf(kept)).status).toBe("skipped");
  expect(await status("f".repeat(64), noted("It costs 3."))).toBe(404);
  expect(await status(request.digest, noted(" "))).toBe(400);
  expect(await status(request.digest, noted("x".repeat(2001)))).toBe(400);
  expect(await status(request.digest, noted("It costs 3."), { token })).toBe(401);
  expect(await status(request.digest, noted("It costs 3."), asTrainer)).toBe(401);
});

test("no answer is taken for a request that no trainer may learn it from", async () => {
  const grantedAt = new Date().toISOString();
  const consent = { version: "1", scopes: ["collect", "train"], choices: true, grantedAt } as const;
  const silent = await makeUpload(baseModel, null, {
    consent: { ...consent, scopes: [...consent.scopes] },
  });
  await upload((await openSession()).token, silent);
  const expired = await liveRequest();
  await give("thumb-down", expired);
  await acknowledge(await nextLease(), null, "consent-expired");
  const refusal = async ({ digest }: Upload) => {
    const { status, body } = await call("POST", pathOf(digest), { ...STAFF, body: noted("3.") });
    return [status, JSON.stringify(body).match(/\((.+)\)/)?.[1]];
  };
  expect(await refusal(silent)).toEqual([409, "no-feedback-consent"]);
  expect(await refusal(expired)).toEqual([409, "consent-expired"]);
  expect(await write(silent, noted("Good question.", "comment"))).toMatchObject({ by: "Ann" });
  expect(await nothingToLease()).toBe(true);
});

test("an answer whose id is taken is not logged, and makes no request ready again", async () => {
  const [request, other] = [await liveRequest(), await liveRequest()];
  await give("thumb-down", other);
  await acknowledge(await nextLease(), 3);
  const note = noted("It costs 3.");
  await write(request, note);
  expect(await call("POST", pathOf(other.digest), { ...STAFF, body: note })).toMatchObject({
    status: 409,
    body: { error: { code: "REPLAYED" } },
  });
  expect(await statusOf(other)).toEqual({ status: "learned", learnedAtStep: 3, notes: [] });
  const { entries } = await ask<AuditResponse>("GET", "/v1/operator/audit", asOperator);
  expect(entries.filter(({ action }) => action === "write-answer").length).toBe(1);
});

test("notes are in the visitor's export without a name, and are deleted with the visitor", async () => {
  const request = await liveRequest();
  const { by: _, ...note } = await write(request, noted("It costs 3."));
  const path = `/v1/operator/visitors/${visitorId}`;
  const lines = (await ask<string>("GET", `${path}/export`, asOperator)).trim().split("\n");
  const exported = lines.map((line) => JSON.parse(line) as { kind: string });
  expect(exported.filter(({ kind }) => kind === "staff-note")).toEqual([
    { kind: "staff-note", digest: request.digest, note },
  ]);
  await ask("DELETE", path, asOperator);
  expect(await countNotes()).toBe(0);
});

test("a deletion names the versions that learned before an answer made the request ready again", async () => {
  const request = await liveRequest();
  await give("thumb-down", request);
  await acknowledge(await nextLease(), 1);
  await publish(1, baseModel);
  await write(request, noted("It costs 3."));
  expect(await statusOf(request)).toMatchObject({ status: "waiting" });
  const deleted = await ask("DELETE", "/v1/visitor", { token });
  expect(deleted).toMatchObject({ deletedTrajectories: 1, learnedBy: [1] });
});

test("retention deletes notes with their trajectory, and remembers that it was learned", async () => {
  const request = await liveRequest();
  await give("thumb-down", request);
  await acknowledge(await nextLease(), 1);
  await write(request, noted("It costs 3."));
  expect(await deleteExpired({ DB: rows, OBJECTS: bindings.OBJECTS }, Date.now() + 1000)).toBe(1);
  expect(await countNotes()).toBe(0);
  const left = await bindings.DB.prepare("SELECT digest FROM forgottenTrajectories").first();
  expect(left).toEqual({ digest: request.digest });
});

test("a backup has the notes, and a note whose trajectory is gone is found and repaired", async () => {
  const request = await liveRequest();
  const note = await write(request, noted("It costs 3."));
  const path = `/v1/operator/sites/${DEFAULT_SITE}/backup/staffNotes`;
  const { rows: saved } = await ask<BackupResponse>("GET", path, asOperator);
  expect(saved).toMatchObject([{ row: { id: note.id, text: note.text, actor: "Ann" } }]);
  const check = (repair: boolean) =>
    ask<ReconcileResponse>("POST", "/v1/operator/reconcile", {
      ...asOperator,
      body: { cursor: "notes:", repair },
    });
  expect((await check(true)).found).toEqual([]);
  await ask("DELETE", "/v1/visitor", { token });
  await bindings.DB.prepare("DELETE FROM forgottenVisitors").run();
  await ask("PUT", path, { ...asOperator, body: { rows: saved } });
  const lost = { kind: "note-without-row", name: note.id, repaired: false };
  expect((await check(false)).found).toMatchObject([lost]);
  expect((await check(true)).found).toMatchObject([{ ...lost, repaired: true }]);
  expect(await countNotes()).toBe(0);
});

async function countNotes(): Promise<number> {
  const row = await bindings.DB.prepare("SELECT COUNT(*) AS count FROM staffNotes").first<{
    count: number;
  }>();
  return row?.count ?? Number.NaN;
}
