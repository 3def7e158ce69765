import { expect, test } from "vitest";
import { assignTask, type AssignmentOptions } from "./assignment-book.ts";
import {
  ask,
  asTrainer,
  bindings,
  call,
  freshEdge,
  lease,
  makeUpload,
  openSession,
  upload,
} from "./testing/edge.ts";

const MINUTE = 60_000;
const options: AssignmentOptions = {
  environment: "shop",
  firstSeed: 1,
  groupSize: 1,
  deadlineMs: MINUTE,
  maxUnfinishedGroups: 2,
};
const begin = (now: number) => assignTask(bindings.DB, crypto.randomUUID(), options, now);

test("no group is begun while as many as allowed are unfinished, and full groups still fill", async () => {
  await freshEdge();
  const now = Date.now();
  await begin(now);
  await begin(now);
  expect(await begin(now)).toBeNull();
  // Room in a group that is open already needs no new one.
  const wider = { ...options, groupSize: 2, maxUnfinishedGroups: 3 };
  const first = await assignTask(bindings.DB, crypto.randomUUID(), wider, now);
  const second = await assignTask(
    bindings.DB,
    crypto.randomUUID(),
    { ...wider, maxUnfinishedGroups: 1 },
    now,
  );
  expect(second?.groupId).toBe(first?.groupId);
  expect(first).not.toBeNull();
});

test("while no group may be begun a page is told when to ask again, and is not refused", async () => {
  await freshEdge();
  const unlimited = { ...options, maxUnfinishedGroups: 0 };
  for (let i = 0; i < 32; i += 1) {
    await assignTask(bindings.DB, crypto.randomUUID(), unlimited, Date.now());
  }
  const { token } = await openSession();
  const reply = await call("POST", "/v1/assignments", { token });
  expect(reply).toMatchObject({ status: 204, body: "" });
  expect(reply.headers.get("retry-after")).toBe("2");
});

test("a group that everybody abandoned stops counting at its deadline", async () => {
  await freshEdge();
  const now = Date.now();
  await begin(now);
  await begin(now);
  expect(await begin(now + MINUTE / 2)).toBeNull();
  await expect(begin(now + 2 * MINUTE)).resolves.toMatchObject({ task: { environment: "shop" } });
});

test("a group with an upload counts until the trainer has dealt with it", async () => {
  const baseModel = await freshEdge();
  const { token, visitorId } = await openSession();
  const one = { ...options, maxUnfinishedGroups: 1 };
  const now = Date.now();
  const assignment = await assignTask(bindings.DB, visitorId, one, now);
  await upload(token, await makeUpload(baseModel, assignment));
  const later = now + 2 * MINUTE;
  expect(await assignTask(bindings.DB, visitorId, one, later)).toBeNull();
  // A group of one is complete with its upload.
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
  await expect(assignTask(bindings.DB, visitorId, one, later)).resolves.toHaveProperty("groupId");
});
