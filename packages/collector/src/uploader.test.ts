import "fake-indexeddb/auto";
import type { Outcome } from "@waggle/protocol";
import { expect, test } from "vitest";
import { createConsentReceipts } from "./consent-receipts.ts";
import { createConsentStore } from "./consent-store.ts";
import { createEdgeSession } from "./edge-session.ts";
import { createFakeEdge } from "./fake-edge.fixture.ts";
import { forgetVisitor } from "./forget-visitor.ts";
import { createMemoryStorage } from "./key-value-storage.ts";
import { createOutbox } from "./outbox.ts";
import { exampleTrajectory } from "./trajectory.fixture.ts";
import { createUploader } from "./uploader.ts";
import type { UploaderOptions } from "./uploader.ts";

let names = 0;

type Setup = Partial<Pick<UploaderOptions, "isOnline" | "batchSize" | "random" | "events">> & {
  readonly waiting?: number;
  readonly consented?: boolean;
};

async function setUp(options: Setup = {}) {
  const { waiting = 3, consented = true, ...uploaderOptions } = options;
  let now = Date.UTC(2026, 10, 20);
  const clock = (): number => now;
  const edge = createFakeEdge(clock);
  const storage = createMemoryStorage();
  const consent = createConsentStore({ storage, currentVersion: "1", clock });
  if (consented) consent.grant();
  const session = createEdgeSession({
    edgeUrl: "https://edge.example",
    siteKey: "site",
    storage,
    consent,
    fetch: edge.fetch,
    clock,
  });
  const outbox = await createOutbox({ name: `uploader-${names++}`, clock: () => now++ });
  for (let number = 1; number <= waiting; number++) await outbox.enqueue(exampleTrajectory(number));
  const delays: number[] = [];
  const timers: (() => void)[] = [];
  const uploader = createUploader({
    outbox,
    session,
    consent,
    clock,
    random: () => 0.5,
    isOnline: () => true,
    events: [],
    schedule: (run, delayMs) => {
      delays.push(delayMs);
      timers.push(run);
      return () => {
        const index = timers.indexOf(run);
        if (index >= 0) timers.splice(index, 1);
      };
    },
    ...uploaderOptions,
  });
  const receipts = createConsentReceipts({ session, consent, storage, clock });
  return { edge, storage, session, consent, receipts, outbox, uploader, delays, timers };
}

const arrivals = (edge: ReturnType<typeof createFakeEdge>): number[] =>
  [...edge.stored.values()].map((stored) => stored.arrivals);

test("all waiting trajectories are sent once, in one gzipped request", async () => {
  const { edge, uploader, outbox } = await setUp();
  expect(await uploader.flush()).toMatchObject({ sent: 3, rejected: 0, ended: "empty" });
  expect(arrivals(edge)).toEqual([1, 1, 1]);
  expect(edge.requests.filter((line) => line === "POST /v1/trajectories")).toHaveLength(1);
  expect(await outbox.summary()).toMatchObject({ waiting: 0, sent: 3 });
});

test("without consent no request leaves the page", async () => {
  const { edge, uploader } = await setUp({ consented: false });
  expect(await uploader.flush()).toMatchObject({ sent: 0, ended: "no-consent" });
  expect(edge.requests).toEqual([]);
});

test("trajectories collected under another consent version are not sent", async () => {
  const { edge, uploader, outbox } = await setUp({ waiting: 0 });
  await outbox.enqueue(exampleTrajectory(1, "older"));
  expect(await uploader.flush()).toMatchObject({ sent: 0, ended: "empty" });
  expect(edge.requests).toEqual([]);
  expect((await outbox.list())[0]).toMatchObject({
    state: "rejected",
    reason: { code: "CONSENT_MISSING" },
  });
});

test("nothing is sent while offline", async () => {
  const { edge, uploader } = await setUp({ isOnline: () => false });
  expect(await uploader.flush()).toMatchObject({ ended: "offline" });
  expect(edge.requests).toEqual([]);
});

test("a batch whose answer was lost is sent again and counts once at the edge", async () => {
  const { edge, uploader, outbox } = await setUp();
  edge.next.push("stored-but-lost");
  expect(await uploader.flush()).toMatchObject({ sent: 0, ended: "backoff" });
  expect(await outbox.summary()).toMatchObject({ waiting: 3 });
  expect(await uploader.flush()).toMatchObject({ sent: 3, ended: "empty" });
  expect(edge.stored.size).toBe(3);
});

test("delays double with jitter and are reset after a success", async () => {
  const { edge, uploader, delays, timers, outbox } = await setUp();
  uploader.start();
  expect(delays).toEqual([0]);
  edge.next.push("network", "network", "network");
  for (let i = 0; i < 4; i++) {
    timers.pop();
    await uploader.flush();
  }
  expect(delays.slice(1, 4)).toEqual([750, 1500, 3000]);
  await outbox.enqueue(exampleTrajectory(9));
  edge.next.push("network");
  await uploader.flush();
  expect(delays.at(-1)).toBe(750);
  await uploader.stop();
});

test("the next try waits for the Retry-After of a 429", async () => {
  const { edge, uploader, delays } = await setUp();
  uploader.start();
  edge.next.push(new Response("{}", { status: 429, headers: { "retry-after": "7" } }));
  expect(await uploader.flush()).toMatchObject({ ended: "backoff" });
  expect(delays.at(-1)).toBe(7000);
  await uploader.stop();
});

test("a rejected trajectory does not affect its batch and stays in the log", async () => {
  const { edge, uploader, outbox } = await setUp({ waiting: 7 });
  edge.rejectIds.add(exampleTrajectory(4).id);
  expect(await uploader.flush()).toMatchObject({ sent: 6, rejected: 1, ended: "empty" });
  const rejected = (await outbox.list()).filter((entry) => entry.state === "rejected");
  expect(rejected).toMatchObject([
    { trajectoryId: exampleTrajectory(4).id, reason: { code: "SCHEMA_INVALID" } },
  ]);
});

test("if all trajectories are refused, the results come from that single answer", async () => {
  const { edge, outbox, uploader } = await setUp();
  const results = (await outbox.list()).map(({ digest }) => ({
    digest,
    status: "rejected",
    code: "POLICY_VERSION_UNKNOWN",
    message: "unknown",
  }));
  const error = { code: "POLICY_VERSION_UNKNOWN", message: "unknown" };
  edge.next.push(Response.json({ error, results }, { status: 409 }));
  expect(await uploader.flush()).toMatchObject({ sent: 0, rejected: 3, ended: "empty" });
  expect(edge.requests).toEqual(["POST /v1/sessions", "POST /v1/trajectories"]);
});

test("a batch is not sent if consent is withdrawn while it is prepared", async () => {
  const { edge, consent, outbox, uploader } = await setUp();
  const settle = outbox.settle.bind(outbox);
  // Called last before the batch is prepared.
  outbox.settle = async (settlements) => {
    await settle(settlements);
    consent.withdraw();
  };
  expect((await uploader.flush()).ended).toBe("no-consent");
  expect(edge.requests).toEqual([]);
});

test("an expired token is renewed once and the batch is sent", async () => {
  const { edge, uploader } = await setUp();
  edge.expired.add("token-1");
  expect(await uploader.flush()).toMatchObject({ sent: 3 });
  expect(edge.sessions).toBe(2);
});

test("a token that is refused twice causes a backoff without losing data", async () => {
  const { edge, uploader, outbox } = await setUp();
  edge.expired.add("token-1").add("token-2");
  expect(await uploader.flush()).toMatchObject({ sent: 0, ended: "backoff" });
  expect(edge.sessions).toBe(2);
  expect(await outbox.summary()).toMatchObject({ waiting: 3 });
});

const outcomeOf = (number: number, edit: Partial<Outcome> = {}): Outcome => ({
  id: crypto.randomUUID(),
  trajectoryId: exampleTrajectory(number).id,
  metric: "booked",
  value: true,
  at: "2026-11-20T00:00:00.000Z",
  ...edit,
});

test("an outcome is sent after its trajectory, and again with the same id if the answer was lost", async () => {
  const { edge, session, consent, outbox } = await setUp({ waiting: 1 });
  let isLost = true;
  const request: typeof session.request = async (path, ...rest) => {
    const response = await session.request(path, ...rest);
    if (path !== "/v1/visitor/outcomes" || !isLost) return response;
    isLost = false;
    throw new TypeError("Failed to fetch");
  };
  const uploader = createUploader({
    outbox,
    consent,
    session: { ...session, request },
    isOnline: () => true,
    events: [],
  });
  const outcome = outcomeOf(1);
  await outbox.enqueueFeedback(outcome);
  expect(await uploader.flush()).toMatchObject({ sent: 1, feedbackSent: 0, ended: "backoff" });
  expect(await outbox.summary()).toMatchObject({ waiting: 0, feedbackWaiting: 1 });
  expect(edge.requests.slice(-2)).toEqual(["POST /v1/trajectories", "POST /v1/visitor/outcomes"]);
  expect(await uploader.flush()).toMatchObject({ feedbackSent: 1, ended: "empty" });
  expect(edge.outcomes).toEqual([outcome, outcome]);
});

test.for([
  ["NaN", { value: Number.NaN }],
  ["Infinity", { value: Infinity }],
  ["a text", { value: "4" as never }],
  ["a name that no metric can have", { metric: "Booked a room" }],
] as const)("an outcome with %s is not stored", async ([, edit]) => {
  const { outbox } = await setUp({ waiting: 0 });
  await expect(outbox.enqueueFeedback(outcomeOf(1, edit))).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
  });
  expect(await outbox.summary()).toMatchObject({ feedbackWaiting: 0 });
  await outbox.enqueueFeedback(outcomeOf(1, { value: -0.5 }));
  expect(await outbox.summary()).toMatchObject({ feedbackWaiting: 1 });
});

test("withdrawn consent discards outcomes that were not sent", async () => {
  const { edge, outbox, uploader } = await setUp({ waiting: 0 });
  await outbox.enqueueFeedback(outcomeOf(1));
  await outbox.discardWaiting();
  expect(await uploader.flush()).toMatchObject({ feedbackSent: 0, ended: "empty" });
  expect(edge.outcomes).toEqual([]);
});

test("feedback does not wait for the trajectories after its own", async () => {
  const { edge, outbox, uploader } = await setUp({ waiting: 3, batchSize: 1 });
  const at = "2026-11-19T12:00:00.000Z";
  const { id: trajectoryId } = exampleTrajectory(1);
  await outbox.enqueueFeedback({ id: crypto.randomUUID(), trajectoryId, kind: "thumb-up", at });
  expect(await uploader.flush()).toMatchObject({ sent: 3, feedbackSent: 1, ended: "empty" });
  const [upload, thumb] = ["POST /v1/trajectories", "POST /v1/feedback"];
  expect(edge.requests.slice(-4)).toEqual([upload, thumb, upload, upload]);
});

test("feedback is sent again after a 429, and not after a 409", async () => {
  const { outbox, consent, session } = await setUp({ waiting: 0 });
  const statuses = [429, 409, 200];
  const request: typeof session.request = async (path, ...rest) =>
    path === "/v1/feedback"
      ? new Response("{}", { status: statuses.shift() ?? 500 })
      : session.request(path, ...rest);
  const uploader = createUploader({
    outbox,
    consent,
    session: { ...session, request },
    isOnline: () => true,
    events: [],
  });
  await outbox.enqueueFeedback({
    id: crypto.randomUUID(),
    trajectoryId: exampleTrajectory(1).id,
    kind: "thumb-up",
    at: "2026-11-20T00:00:00.000Z",
  });
  expect(await uploader.flush()).toMatchObject({ ended: "backoff" });
  expect(await outbox.summary()).toMatchObject({ feedbackWaiting: 1 });
  expect(await uploader.flush()).toMatchObject({ ended: "empty" });
  expect(await outbox.summary()).toMatchObject({ feedbackWaiting: 0 });
  await uploader.flush();
  expect(statuses).toEqual([200]);
});

test("feedback is sent after its trajectory", async () => {
  const { edge, uploader, outbox } = await setUp({ waiting: 1 });
  await outbox.enqueueFeedback({
    id: "00000000-0000-4000-8000-00000000aaaa",
    trajectoryId: exampleTrajectory(1).id,
    kind: "thumb-down",
    at: "2026-11-20T00:00:00.000Z",
  });
  expect(await uploader.flush()).toMatchObject({ sent: 1, feedbackSent: 1, ended: "empty" });
  expect(edge.requests.slice(-2)).toEqual(["POST /v1/trajectories", "POST /v1/feedback"]);
  expect(edge.feedback).toMatchObject([{ kind: "thumb-down" }]);
});

test("leaving the page sends a batch that fits into a keepalive request", async () => {
  const events = new EventTarget();
  const { edge, uploader } = await setUp({ events: [events] });
  const sent = new Promise<void>((resolve) => {
    uploader.onChange(() => {
      if (uploader.status.sent === 3) resolve();
    });
  });
  uploader.start();
  events.dispatchEvent(new Event("pagehide"));
  await sent;
  expect(edge.stored.size).toBe(3);
  await uploader.stop();
});

test("coming back online sends at once", async () => {
  const events = new EventTarget();
  const { uploader, delays, timers } = await setUp({ events: [events] });
  uploader.start();
  timers.length = 0;
  events.dispatchEvent(new Event("online"));
  expect(delays).toEqual([0, 0]);
  expect(timers).toHaveLength(1);
  await uploader.stop();
});

test("forget me deletes at the edge and then on this device", async () => {
  const { edge, uploader, outbox, consent, session, storage, receipts } = await setUp({
    waiting: 1,
  });
  await uploader.flush();
  await outbox.enqueue(exampleTrajectory(2));
  const deleted = await forgetVisitor({ session, outbox, consent, uploader, receipts });
  expect(deleted).toEqual({
    deletedTrajectories: 1,
    deletedFeedback: 0,
    deletedOutcomes: 0,
    learnedBy: [2],
  });
  expect(edge.deleted).toBe(true);
  expect(edge.stored.size).toBe(1);
  expect(await outbox.list()).toEqual([]);
  expect(consent.decision()).toBe("undecided");
  expect(storage.getItem("waggle.visitorToken")).toBeNull();
});

test("forget me without a network sends nothing more and keeps the deletion for a retry", async () => {
  const { uploader, outbox, consent, session, storage, receipts } = await setUp({ waiting: 1 });
  await uploader.flush();
  await outbox.enqueue(exampleTrajectory(2));
  const offline = { ...session, finishDeletion: () => Promise.reject(new TypeError("offline")) };
  const parts = { session: offline, outbox, consent, uploader, receipts };
  await expect(forgetVisitor(parts)).rejects.toThrow("offline");
  expect(consent.get()).toBeNull();
  expect(await outbox.summary()).toMatchObject({ waiting: 0 });
  expect(storage.getItem("waggle.visitorToken")).toBeNull();
  expect(storage.getItem("waggle.deletion")).toBe('["visitor"]');
});

test("an entry added while a run ends is sent without waiting for a lease to expire", async () => {
  const { edge, uploader, outbox, delays, timers } = await setUp({ waiting: 1 });
  uploader.start();
  timers.pop()?.();
  const run = uploader.flush();
  // Added during the run. Whether or not the run still sees it, another run is scheduled soon.
  await outbox.enqueue(exampleTrajectory(2));
  await run;
  await outbox.summary();
  expect(delays.at(-1)).toBe(250);
  timers.pop()?.();
  await uploader.flush();
  expect(edge.stored.size).toBe(2);
  await uploader.stop();
});
