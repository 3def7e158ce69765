import { expect, test } from "vitest";
import { type Asker, assignTask, type AssignmentOptions } from "./assignment-store.ts";
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
  upload,
  work,
  rows,
} from "./testing/edge.ts";

const MINUTE = 60_000;
const options: AssignmentOptions = {
  environment: "rooms",
  firstSeed: 1,
  groupSize: 1,
  deadlineMs: MINUTE,
  maxUnfinishedGroups: 2,
  slotsPerVisitor: 0,
  slotsPerPrefix: 0,
  unansweredPerVisitor: 0,
  unansweredPerPrefix: 0,
};

const somebody = (addressPrefix = "somewhere"): Asker => ({
  visitorId: crypto.randomUUID(),
  addressPrefix,
});
/** As the operator's export of a visitor counts them. */
async function unusedSeeds(visitorId: string): Promise<number | undefined> {
  const path = `/v1/operator/visitors/${visitorId}/export`;
  const reply = await call("GET", path, asOperator);
  const [first = "{}"] = String(reply.body).split("\n");
  return (JSON.parse(first) as { unusedSeeds?: number }).unusedSeeds;
}

const begin = (now: number) => assignTask(rows, somebody(), options, now);

test("no new group starts at the limit of unfinished groups, but open groups still fill", async () => {
  await freshEdge();
  const now = Date.now();
  await begin(now);
  await begin(now);
  expect(await begin(now)).toBeNull();
  // A free slot in an open group needs no new group.
  const wider = { ...options, groupSize: 2, maxUnfinishedGroups: 3 };
  const first = await assignTask(rows, somebody(), wider, now);
  const second = await assignTask(rows, somebody(), { ...wider, maxUnfinishedGroups: 1 }, now);
  expect(second?.groupId).toBe(first?.groupId);
  expect(first).not.toBeNull();
});

test("at the limit of groups a page is told when to ask again, without an error", async () => {
  await freshEdge();
  const unlimited = { ...options, maxUnfinishedGroups: 0 };
  for (let i = 0; i < 32; i += 1) {
    await assignTask(rows, somebody(), unlimited, Date.now());
  }
  const { token } = await openSession();
  const reply = await call("POST", "/v1/assignments", { token });
  expect(reply).toMatchObject({ status: 204, body: "" });
  expect(reply.headers.get("retry-after")).toBe("2");
});

test("an abandoned group stops counting at its deadline", async () => {
  await freshEdge();
  const now = Date.now();
  await begin(now);
  await begin(now);
  expect(await begin(now + MINUTE / 4)).toBeNull();
  await expect(begin(now + 2 * MINUTE)).resolves.toMatchObject({ task: { environment: "rooms" } });
});

test("a group with an upload counts until the trainer has processed it", async () => {
  const baseModel = await freshEdge();
  const { token, visitorId } = await openSession();
  const one = { ...options, maxUnfinishedGroups: 1 };
  const asker = { visitorId, addressPrefix: "somewhere" };
  const now = Date.now();
  const assignment = await assignTask(rows, asker, one, now);
  await upload(token, await makeUpload(baseModel, assignment));
  const later = now + 2 * MINUTE;
  expect(await assignTask(rows, asker, one, later)).toBeNull();
  // A group of one is complete after its upload.
  const leased = await lease();
  const outcomes = leased.groups[0]?.trajectories.map(({ digest }) => ({
    digest,
    status: "learned",
    step: 1,
  }));
  await ask("POST", `/v1/trainer/leases/${leased.leaseId}/acknowledge`, {
    ...asTrainer,
    body: { fencingToken: leased.fencingToken, outcomes },
  });
  await expect(assignTask(rows, asker, one, later)).resolves.toHaveProperty("groupId");
});

test("a visitor holds at most the allowed number of slots in a group", async () => {
  await freshEdge();
  const one = { ...options, groupSize: 3, slotsPerVisitor: 1, maxUnfinishedGroups: 0 };
  const now = Date.now();
  const [a, b] = [somebody("a"), somebody("b")];
  const first = await assignTask(rows, a, one, now);
  const second = await assignTask(rows, a, one, now + 1);
  const other = await assignTask(rows, b, one, now + 2);
  expect(second?.groupId).not.toBe(first?.groupId);
  expect(other?.groupId).toBe(first?.groupId);
});

test("a network holds at most the allowed number of slots in a group", async () => {
  await freshEdge();
  const two = { ...options, groupSize: 4, slotsPerPrefix: 2, maxUnfinishedGroups: 0 };
  const now = Date.now();
  const groups = [];
  for (const prefix of ["office", "office", "office", "home"]) {
    groups.push((await assignTask(rows, somebody(prefix), two, now))?.groupId);
  }
  expect(groups[1]).toBe(groups[0]);
  expect(groups[2]).not.toBe(groups[0]);
  expect(groups[3]).toBe(groups[0]);
});

test("an abandoned slot is given to another visitor before the group's deadline", async () => {
  const baseModel = await freshEdge();
  const { token, visitorId } = await openSession();
  const pair = { ...options, groupSize: 2, maxUnfinishedGroups: 1 };
  const now = Date.now();
  const slow = await assignTask(rows, { visitorId, addressPrefix: "a" }, pair, now);
  await assignTask(rows, somebody("b"), pair, now);
  expect(await assignTask(rows, somebody("c"), pair, now + 1000)).toBeNull();
  const again = await assignTask(rows, somebody("c"), pair, now + MINUTE / 2);
  expect(again?.groupId).toBe(slow?.groupId);
  expect(again?.samplingSeed).not.toBe(slow?.samplingSeed);
  expect(await unusedSeeds(visitorId)).toBe(1);
  // The late answer is kept: the group grows by one.
  await upload(token, await makeUpload(baseModel, slow));
  const group = await bindings.DB.prepare("SELECT assigned, uploads FROM taskGroups").first();
  expect(group).toEqual({ assigned: 2, uploads: 1 });
  expect(await unusedSeeds(visitorId)).toBe(0);
});

test("a visitor who never answers must wait; time and answers restore the budget", async () => {
  const baseModel = await freshEdge();
  const { token, visitorId } = await openSession();
  const asker = { visitorId, addressPrefix: "a" };
  const trusting = { ...options, unansweredPerVisitor: 4, maxUnfinishedGroups: 0 };
  const now = Date.now();
  const take = (at: number) => assignTask(rows, asker, trusting, at);
  const first = await take(now);
  for (let i = 0; i < 3; i += 1) await take(now);
  const refused = await take(now).catch((error: unknown) => error);
  // Four tasks are restored in ten minutes.
  expect(refused).toMatchObject({ code: "RATE_LIMITED", retryAfterMs: 2.5 * MINUTE });
  await expect(take(now + 2.5 * MINUTE)).resolves.not.toBeNull();
  await expect(take(now + 2.5 * MINUTE)).rejects.toThrow("4 unanswered tasks");
  await upload(token, await makeUpload(baseModel, first));
  await expect(take(now + 2.5 * MINUTE)).resolves.not.toBeNull();
  await expect(take(now + 2.5 * MINUTE)).resolves.not.toBeNull();
  await expect(take(now + 2.5 * MINUTE)).rejects.toThrow("4 unanswered tasks");
});

test("a network that never answers must wait, while another need not", async () => {
  await freshEdge();
  const trusting = { ...options, unansweredPerPrefix: 2, maxUnfinishedGroups: 0 };
  const now = Date.now();
  const take = (prefix: string) => assignTask(rows, somebody(prefix), trusting, now);
  await take("one");
  await take("one");
  await expect(take("one")).rejects.toMatchObject({ code: "RATE_LIMITED" });
  await expect(take("two")).resolves.not.toBeNull();
});

test("forgetting a visitor frees their slots", async () => {
  const baseModel = await freshEdge();
  const { token } = await openSession();
  await work(token, baseModel);
  await call("POST", "/v1/assignments", { token });
  await ask("DELETE", "/v1/visitor", { token });
  const group = await bindings.DB.prepare("SELECT assigned, uploads FROM taskGroups").first();
  expect(group).toEqual({ assigned: 0, uploads: 0 });
});
