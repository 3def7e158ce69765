/** A site whose trainer learns from thumbs: its live requests are leased once they have a thumb and are old enough. */
import { DEFAULT_SITE, type Feedback } from "@waggle/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { unwrap } from "./answer.ts";
import { coordinatorOf } from "./coordinator.ts";
import {
  ask,
  bindings,
  freshEdge,
  lease,
  makeUpload,
  openSession,
  type Upload,
  upload,
  work,
} from "./testing/edge.ts";

const WAIT_SECONDS = 2;
const LATER = (WAIT_SECONDS + 1) * 1000;

let baseModel = "";
let token = "";

beforeEach(async () => {
  Object.assign(bindings, { FEEDBACK_WAIT_SECONDS: String(WAIT_SECONDS) });
  baseModel = await freshEdge();
  token = (await openSession()).token;
});
afterEach(() => {
  Object.assign(bindings, { FEEDBACK_WAIT_SECONDS: "0" });
});

async function liveRequest(as = token): Promise<Upload> {
  const request = await makeUpload(baseModel, null);
  await upload(as, request);
  return request;
}

async function give(kind: Feedback["kind"], { trajectory }: Upload, as = token): Promise<Feedback> {
  const at = "2026-11-20T12:00:00.000Z";
  const body = { id: crypto.randomUUID(), trajectoryId: trajectory.id, kind, at };
  await ask("POST", "/v1/feedback", { token: as, body });
  return body;
}

/** Digests that a trainer gets at this time, oldest first. The lease is given back. */
async function leasable(now: number): Promise<string[]> {
  const coordinator = coordinatorOf(bindings, DEFAULT_SITE);
  const request = { trainerId: "test", maxGroups: 10, durationSeconds: 60 };
  const granted = unwrap(await coordinator.lease(request, now));
  if (granted.leaseId === null) return [];
  unwrap(await coordinator.release(granted.leaseId, granted.fencingToken));
  return granted.groups.flatMap(({ rows }) => rows.map(({ digest }) => digest));
}

test("a request waits for a thumb, and with one until it is old enough", async () => {
  const before = Date.now();
  const request = await liveRequest();
  expect(await leasable(before + LATER)).toEqual([]);
  await give("thumb-up", request);
  expect(await leasable(before)).toEqual([]);
  expect(await leasable(Date.now() + LATER)).toEqual([request.digest]);
  // A lease that was given back does not make it wait again.
  expect(await leasable(Date.now() + LATER)).toEqual([request.digest]);
});

test("a thumb that comes first counts, and one that comes late is not lost", async () => {
  const [first, late] = [await makeUpload(baseModel, null), await liveRequest()];
  await give("thumb-down", first);
  await upload(token, first);
  expect(await leasable(Date.now() + LATER)).toEqual([first.digest]);
  await give("thumb-up", late);
  expect(await leasable(Date.now() + LATER)).toEqual([late.digest, first.digest]);
});

test("only the visitor's own thumb counts: no other feedback, no other visitor, no other request", async () => {
  const request = await liveRequest();
  const other = (await openSession()).token;
  await give("retry", request);
  await give("abandon", request);
  await give("thumb-up", request, other);
  await give("thumb-up", await makeUpload(baseModel, null));
  expect(await leasable(Date.now() + LATER)).toEqual([]);
});

test("assigned tasks do not wait for thumbs", async () => {
  const { digest } = await work(token, baseModel);
  await liveRequest();
  expect(await leasable(Date.now() + 300_000)).toEqual([digest]);
});

test("the lease has the thumb, and a request without one is deleted with its visitor", async () => {
  const request = await liveRequest();
  const thumb = await give("thumb-down", request);
  await expect
    .poll(async () => (await lease()).groups, { timeout: 10_000, interval: 300 })
    .toMatchObject([{ task: null, trajectories: [{ digest: request.digest, feedback: [thumb] }] }]);
  await liveRequest();
  const deleted = await ask("DELETE", "/v1/visitor", { token });
  expect(deleted).toMatchObject({ deletedTrajectories: 2, deletedFeedback: 1 });
});
