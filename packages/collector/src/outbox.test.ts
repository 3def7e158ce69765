import "fake-indexeddb/auto";
import { expect, test } from "vitest";
import { createOutbox } from "./outbox.ts";
import type { OutboxOptions } from "./outbox.ts";
import { exampleTrajectory } from "./trajectory.fixture.ts";

let names = 0;
const freshName = (): string => `outbox-${names++}`;
/** A clock that advances at every reading, so that the order is determined. */
const ticking = (): (() => number) => {
  let now = 1000;
  return () => now++;
};
const open = (options: OutboxOptions = {}) =>
  createOutbox({ name: freshName(), clock: ticking(), ...options });
const CLAIM = { limit: 10, maxBytes: 1_000_000, leaseMs: 1000 };

test("an enqueued trajectory still waits after the database is reopened", async () => {
  const name = freshName();
  const first = await createOutbox({ name });
  await first.enqueue(exampleTrajectory(1), { text: "hello" });
  first.close();
  const second = await createOutbox({ name });
  const [entry] = await second.list();
  expect(entry).toMatchObject({ state: "waiting", policyVersion: 3, stopReason: "aborted" });
  const detail = await second.read(entry?.digest ?? "");
  expect(detail).toMatchObject({ text: "hello", trajectory: exampleTrajectory(1) });
});

test("the same trajectory enqueued twice is one entry", async () => {
  const outbox = await open();
  expect(await outbox.enqueue(exampleTrajectory(1))).toMatchObject({ duplicate: false });
  expect(await outbox.enqueue(exampleTrajectory(1))).toMatchObject({ duplicate: true });
  expect(await outbox.summary()).toMatchObject({ waiting: 1 });
});

test("states returns only the requested entries, and null without storage", async () => {
  const outbox = await open();
  for (const number of [1, 2, 3]) await outbox.enqueue(exampleTrajectory(number));
  const [a, b] = await outbox.claim({ ...CLAIM, limit: 2 });
  await outbox.settle([{ key: a?.digest ?? "", state: "sent" }]);
  const asked = [a?.digest ?? "", b?.digest ?? "", "f".repeat(64)];
  expect(await outbox.states(asked)).toEqual(
    new Map([
      [a?.digest, "sent"],
      [b?.digest, "waiting"],
    ]),
  );
  outbox.close();
  expect(await outbox.states(asked)).toBeNull();
});

test("two tabs that claim concurrently never get the same entry", async () => {
  const name = freshName();
  const tabs = await Promise.all([createOutbox({ name }), createOutbox({ name })]);
  for (let number = 0; number < 20; number++) await tabs[0].enqueue(exampleTrajectory(number));
  const claims = await Promise.all(
    Array.from({ length: 8 }, (_, index) => tabs[index % 2]?.claim({ ...CLAIM, limit: 5 })),
  );
  const digests = claims.flatMap((claim) => claim?.map((entry) => entry.digest) ?? []);
  expect(digests).toHaveLength(20);
  expect(new Set(digests).size).toBe(20);
});

test("a claim expires, so that another tab can take over", async () => {
  let now = 0;
  const outbox = await open({ clock: () => now });
  await outbox.enqueue(exampleTrajectory(1));
  expect(await outbox.claim(CLAIM)).toHaveLength(1);
  expect(await outbox.claim(CLAIM)).toHaveLength(0);
  now = 1000;
  expect(await outbox.claim(CLAIM)).toHaveLength(1);
});

test("a released entry can be claimed at once", async () => {
  const outbox = await open();
  await outbox.enqueue(exampleTrajectory(1));
  const [claimed] = await outbox.claim(CLAIM);
  await outbox.release([claimed?.digest ?? ""]);
  expect(await outbox.claim(CLAIM)).toHaveLength(1);
});

test("a claim stops before its byte limit but returns at least one entry", async () => {
  const outbox = await open();
  for (let number = 0; number < 3; number++) await outbox.enqueue(exampleTrajectory(number));
  const sizeBytes = (await outbox.list())[0]?.sizeBytes ?? 0;
  expect(await outbox.claim({ ...CLAIM, maxBytes: 1 })).toHaveLength(1);
  expect(await outbox.claim({ ...CLAIM, maxBytes: sizeBytes * 2 })).toHaveLength(2);
});

test("settled entries stay in the log, rejected ones with the edge's reason", async () => {
  const outbox = await open();
  await outbox.enqueue(exampleTrajectory(1));
  await outbox.enqueue(exampleTrajectory(2));
  const [one, two] = await outbox.claim(CLAIM);
  const reason = { code: "REPLAYED", message: "seen before" };
  await outbox.settle([
    { key: one?.digest ?? "", state: "sent" },
    { key: two?.digest ?? "", state: "rejected", reason },
  ]);
  expect((await outbox.list()).map(({ state, reason: why }) => [state, why])).toEqual([
    ["rejected", reason],
    ["sent", null],
  ]);
  expect(await outbox.claim(CLAIM)).toEqual([]);
});

test("when too many wait, the oldest unsent entries are dropped and counted", async () => {
  const outbox = await open({ maxWaiting: 3 });
  for (let number = 1; number <= 5; number++) await outbox.enqueue(exampleTrajectory(number));
  const ids = (await outbox.claim(CLAIM)).map((entry) => entry.trajectory.id.slice(-1));
  expect(ids).toEqual(["3", "4", "5"]);
  expect(await outbox.summary()).toMatchObject({ waiting: 3, dropped: 2 });
});

test("the log of sent entries is limited and never displaces waiting entries", async () => {
  const outbox = await open({ maxLog: 2 });
  for (let number = 1; number <= 5; number++) {
    await outbox.enqueue(exampleTrajectory(number));
    const claimed = await outbox.claim(CLAIM);
    await outbox.settle(claimed.map(({ digest }) => ({ key: digest, state: "sent" })));
  }
  await outbox.enqueue(exampleTrajectory(6));
  const states = (await outbox.list()).map((entry) => entry.state);
  expect(states).toEqual(["waiting", "sent", "sent"]);
  expect(await outbox.summary()).toMatchObject({ waiting: 1, sent: 5 });
});

test("a trajectory above the size limit is refused with a result and not an exception", async () => {
  const outbox = await open({ maxEntryBytes: 100 });
  expect(await outbox.enqueue(exampleTrajectory(1))).toMatchObject({
    stored: false,
    reason: "PAYLOAD_TOO_LARGE",
  });
});

test("feedback waits until its trajectory is settled", async () => {
  const outbox = await open();
  await outbox.enqueue(exampleTrajectory(1));
  await outbox.enqueueFeedback({
    id: "00000000-0000-4000-8000-00000000aaaa",
    trajectoryId: exampleTrajectory(1).id,
    kind: "thumb-up",
    at: "2026-11-20T00:00:00.000Z",
  });
  const feedbackClaim = { limit: 5, leaseMs: 1000 };
  expect(await outbox.claimFeedback(feedbackClaim)).toEqual([]);
  const claimed = await outbox.claim(CLAIM);
  await outbox.settle(claimed.map(({ digest }) => ({ key: digest, state: "sent" })));
  expect(await outbox.claimFeedback(feedbackClaim)).toMatchObject([{ kind: "thumb-up" }]);
});

test("feedback of one moment is claimed in the order in which it was given", async () => {
  const outbox = await open({ clock: () => 1000 });
  // Ids in the opposite order, because rows are stored by id.
  const ids = [9, 5, 1].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`);
  for (const id of ids) {
    const { id: trajectoryId } = exampleTrajectory(1);
    const at = "2026-11-20T00:00:00.000Z";
    await outbox.enqueueFeedback({ id, trajectoryId, kind: "thumb-up", at });
  }
  const claimed = await outbox.claimFeedback({ limit: 5, leaseMs: 1000 });
  expect(claimed.map(({ id }) => id)).toEqual(ids);
});

test("discardWaiting removes unsent entries and keeps the log", async () => {
  const outbox = await open();
  await outbox.enqueue(exampleTrajectory(1));
  const [claimed] = await outbox.claim(CLAIM);
  await outbox.settle([{ key: claimed?.digest ?? "", state: "sent" }]);
  await outbox.enqueue(exampleTrajectory(2));
  await outbox.discardWaiting();
  expect(await outbox.summary()).toMatchObject({ waiting: 0, sent: 1 });
});

test("clear removes every entry", async () => {
  const outbox = await open();
  await outbox.enqueue(exampleTrajectory(1));
  await outbox.clear();
  expect(await outbox.list()).toEqual([]);
});

test("a browser without a database is reported as a state and never throws", async () => {
  const original = globalThis.indexedDB;
  Object.defineProperty(globalThis, "indexedDB", { value: undefined, configurable: true });
  const outbox = await open().finally(() => {
    Object.defineProperty(globalThis, "indexedDB", { value: original, configurable: true });
  });
  expect(await outbox.enqueue(exampleTrajectory(1))).toMatchObject({
    stored: false,
    reason: "STORAGE_UNAVAILABLE",
  });
  expect(await outbox.summary()).toMatchObject({ waiting: 0, storage: "unavailable" });
});

test("on a full disk the log is removed, and the state is full if that is not enough", async () => {
  const outbox = await open();
  await outbox.enqueue(exampleTrajectory(1));
  const [claimed] = await outbox.claim(CLAIM);
  await outbox.settle([{ key: claimed?.digest ?? "", state: "sent" }]);
  // Simulates a disk with room for a limited number of bodies.
  const room = { bodies: 0 };
  const original = Object.getOwnPropertyDescriptor(IDBObjectStore.prototype, "put");
  const write = original?.value as (value: unknown, key?: IDBValidKey) => IDBRequest;
  IDBObjectStore.prototype.put = function (this: IDBObjectStore, value: unknown, key) {
    if (this.name === "bodies" && --room.bodies < 0) {
      throw new DOMException("no room", "QuotaExceededError");
    }
    return write.call(this, value, key);
  };
  try {
    const refused = await outbox.enqueue(exampleTrajectory(2));
    expect(refused).toMatchObject({ stored: false, reason: "QUOTA_EXCEEDED" });
    expect(await outbox.summary()).toMatchObject({ waiting: 0, storage: "full" });
    expect(await outbox.list()).toEqual([]);
    room.bodies = 1;
    expect(await outbox.enqueue(exampleTrajectory(2))).toMatchObject({ stored: true });
    expect(await outbox.summary()).toMatchObject({ waiting: 1, storage: "ok" });
  } finally {
    Object.defineProperty(IDBObjectStore.prototype, "put", original ?? {});
  }
});
