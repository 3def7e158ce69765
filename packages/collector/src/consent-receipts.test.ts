/** The receipts of a page: when it asks for one, what it proves with it, and what becomes of it. */
import "fake-indexeddb/auto";
import { sha256 } from "@waggle/protocol";
import type { Consent, ConsentReceipt, Feedback } from "@waggle/protocol";
import { expect, test } from "vitest";
import { createConsentReceipts } from "./consent-receipts.ts";
import { createConsentStore, WITHDRAWALS_KEY } from "./consent-store.ts";
import { createEdgeSession } from "./edge-session.ts";
import { createFakeEdge } from "./fake-edge.fixture.ts";
import type { FakeEdge } from "./fake-edge.fixture.ts";
import { createMemoryStorage } from "./key-value-storage.ts";
import { createOutbox } from "./outbox.ts";
import { exampleTrajectory } from "./trajectory.fixture.ts";
import type { Schedule } from "./time-limit.ts";
import { createUploader } from "./uploader.ts";

const START = Date.UTC(2026, 10, 20);
const SHOWN = { text: "May we?\nWe keep it.", language: "de" };

let pages = 0;

/** A page that asks about each scope. */
async function openPage(options: { edge?: FakeEdge; storage?: Storage; schedule?: Schedule } = {}) {
  const time = { now: START };
  const clock = (): number => time.now;
  const edge = options.edge ?? createFakeEdge(clock);
  const storage = (options.storage ?? createMemoryStorage()) as Storage;
  const consent = createConsentStore({ storage, currentVersion: "1", hasChoices: true, clock });
  const session = createEdgeSession({
    edgeUrl: "https://edge.example",
    siteKey: "site",
    storage,
    consent,
    fetch: edge.fetch,
    clock,
  });
  const outbox = await createOutbox({ name: `receipts-${pages++}`, clock });
  const received: number[] = [];
  const receipts = createConsentReceipts({
    session,
    consent,
    storage,
    clock,
    random: () => 0,
    ...(options.schedule !== undefined && { schedule: options.schedule }),
    onReceipt: () => received.push(clock()),
  });
  const uploader = createUploader({
    outbox,
    session,
    consent,
    receipts,
    clock,
    isOnline: () => true,
    events: [],
  });
  const record = (number: number, under: Consent) =>
    outbox.enqueue({ ...exampleTrajectory(number), consent: under });
  return { edge, time, storage, consent, session, outbox, receipts, received, uploader, record };
}

const pathsOf = ({ requests }: FakeEdge): string[] =>
  requests.filter((line) => !line.includes("sessions"));

test("a receipt is asked for once, before anything is sent, and names the text that was shown", async () => {
  const { edge, consent, receipts, received, uploader, record } = await openPage();
  const agreed = consent.grant(undefined, SHOWN);
  await record(1, agreed);
  expect(await uploader.flush()).toMatchObject({ sent: 1 });
  await record(2, agreed);
  await uploader.flush();
  expect(pathsOf(edge)).toEqual([
    "POST /v1/consents",
    "POST /v1/trajectories",
    "POST /v1/trajectories",
  ]);
  const text = { sha256: await sha256(SHOWN.text), language: "de" };
  expect(edge.consents).toEqual([{ consent: agreed, text }]);
  expect(receipts.list()).toMatchObject([{ visitorId: edge.visitorId, consent: agreed, text }]);
  expect(received).toEqual([START]);
});

test("a receipt is asked for without anything to send, and says nothing about a text that is not known", async () => {
  const { edge, time, consent, uploader } = await openPage();
  consent.grant(undefined, SHOWN);
  time.now += 1000;
  const agreed = consent.grant(["collect"]);
  expect(await uploader.flush()).toMatchObject({ ended: "empty" });
  expect(edge.consents).toEqual([{ consent: agreed }]);
});

test("nothing is sent until the edge has answered, and then all of it", async () => {
  const { edge, consent, outbox, uploader, record } = await openPage();
  await record(1, consent.grant());
  edge.nextConsents.push("network", new Response(null, { status: 503 }));
  for (const lastFailure of ["NETWORK", "NETWORK"]) {
    expect(await uploader.flush()).toMatchObject({ sent: 0, ended: "backoff" });
    expect(uploader.status.lastFailure).toBe(lastFailure);
    expect(await outbox.summary()).toMatchObject({ waiting: 1 });
  }
  expect(pathsOf(edge)).toEqual(["POST /v1/consents", "POST /v1/consents"]);
  expect(await uploader.flush()).toMatchObject({ sent: 1 });
});

test("an edge of the previous release, which knows no receipts, gets the records as before", async () => {
  const { edge, consent, receipts, uploader, record } = await openPage();
  const agreed = consent.grant();
  edge.nextConsents.push(new Response(null, { status: 404 }));
  for (const number of [1, 2]) {
    await record(number, agreed);
    expect(await uploader.flush()).toMatchObject({ sent: 1 });
  }
  expect(pathsOf(edge)).toEqual([
    "POST /v1/consents",
    "POST /v1/trajectories",
    "POST /v1/trajectories",
  ]);
  expect(receipts.list()).toEqual([]);
});

test("a visitor who agreed twice while offline gets a receipt of each consent that is still allowed", async () => {
  const { edge, time, consent, uploader, record } = await openPage();
  const first = consent.grant(["collect"]);
  await record(1, first);
  time.now += 1000;
  const second = consent.grant(["collect", "train"]);
  await record(2, second);
  expect(await uploader.flush()).toMatchObject({ sent: 2 });
  expect(edge.consents.map(({ consent: one }) => one)).toEqual([second, first]);
});

test("the edge's new name for a visitor needs a receipt of its own", async () => {
  const { edge, consent, receipts, session, uploader } = await openPage();
  consent.grant();
  await uploader.flush();
  edge.visitorId = "00000000-0000-4000-8000-0000000000ee";
  await session.refresh();
  await uploader.flush();
  await uploader.flush();
  expect(receipts.list().map(({ visitorId }) => visitorId)).toEqual([
    "00000000-0000-4000-8000-0000000000ff",
    "00000000-0000-4000-8000-0000000000ee",
  ]);
});

test("records that an edge without its receipts refuses wait for new receipts, once", async () => {
  const { edge, time, consent, outbox, uploader, record } = await openPage();
  const agreed = consent.grant();
  await uploader.flush();
  await record(1, agreed);
  const refuse = async (): Promise<void> => {
    const [newest] = await outbox.list();
    const code = "CONSENT_UNPROVEN";
    const results = [{ digest: newest?.digest, status: "rejected", code, message: "no receipt" }];
    edge.next.push(Response.json({ error: { code, message: "" }, results }, { status: 425 }));
  };
  await refuse();
  expect(await uploader.flush()).toMatchObject({ sent: 0, rejected: 0, ended: "backoff" });
  expect(uploader.status.lastFailure).toBe("CONSENT_UNPROVEN");
  expect(await uploader.flush()).toMatchObject({ sent: 1 });
  expect(edge.consents).toHaveLength(2);
  time.now += 1000;
  await record(2, agreed);
  await refuse();
  expect(await uploader.flush()).toMatchObject({ sent: 0, rejected: 1 });
  expect(edge.consents).toHaveLength(2);
});

test("feedback that an edge without its receipts refuses waits for a new receipt, once", async () => {
  const { edge, time, consent, outbox, uploader } = await openPage();
  consent.grant();
  await uploader.flush();
  const thumb = (): Feedback => ({
    id: crypto.randomUUID(),
    trajectoryId: crypto.randomUUID(),
    kind: "thumb-up",
    at: new Date(time.now).toISOString(),
  });
  const refuse = (): void => {
    const error = { code: "CONSENT_UNPROVEN", message: "" };
    edge.nextFeedback.push(Response.json({ error }, { status: 425 }));
  };
  await outbox.enqueueFeedback(thumb());
  refuse();
  expect(await uploader.flush()).toMatchObject({ feedbackSent: 0, ended: "backoff" });
  expect(await uploader.flush()).toMatchObject({ feedbackSent: 1 });
  expect(edge.consents).toHaveLength(2);
  time.now += 1000;
  await outbox.enqueueFeedback(thumb());
  refuse();
  await uploader.flush();
  expect(await outbox.summary()).toMatchObject({ feedbackWaiting: 0 });
  expect(edge.feedback).toHaveLength(1);
});

test("a withdrawal is sent with the receipts, also if the edge is reached only at the next visit", async () => {
  const { edge, storage, consent, receipts, uploader } = await openPage();
  consent.grant();
  await uploader.flush();
  const [receipt] = receipts.list();
  edge.nextConsents.push("network");
  consent.withdraw();
  expect(receipts.list()).toEqual([]);
  await expect.poll(() => edge.nextConsents).toEqual([]);
  expect(edge.withdrawn).toEqual([]);
  expect(storage.getItem(WITHDRAWALS_KEY)).not.toBeNull();
  await openPage({ edge, storage });
  await expect.poll(() => edge.withdrawn).toEqual([receipt]);
  await expect.poll(() => storage.getItem(WITHDRAWALS_KEY)).toBeNull();
});

/** A page that has withdrawn, with an edge that answers so, and the timers that it has set. */
async function withdrawnPage(...answers: FakeEdge["nextConsents"]) {
  const timers: { readonly run: () => void; readonly delayMs: number }[] = [];
  const schedule = (run: () => void, delayMs: number) => {
    timers.push({ run, delayMs });
    return () => undefined;
  };
  const page = await openPage({ schedule });
  page.consent.grant();
  await page.uploader.flush();
  page.edge.nextConsents.push(...answers);
  page.consent.withdraw();
  return { ...page, timers };
}

const refused = (status: number, code: string): Response =>
  Response.json({ error: { code, message: "" } }, { status });

test.each([400, 403, 404, 409, 413, 425, 429, 500])(
  "a withdrawal that is answered with %i is sent again until the edge confirms it, after longer and longer pauses",
  async (status) => {
    const answers = [1, 2, 3].map(() => refused(status, "FORBIDDEN"));
    const { edge, consent, received, storage, timers } = await withdrawnPage(...answers);
    const confirmed = received.length + 1;
    for (const tries of [1, 2, 3]) {
      await expect.poll(() => timers.length).toBe(tries);
      expect([edge.withdrawn.length, consent.isWithdrawing]).toEqual([0, true]);
      timers[tries - 1]?.run();
    }
    await expect.poll(() => consent.isWithdrawing).toBe(false);
    expect(edge.withdrawn).toHaveLength(1);
    expect(storage.getItem(WITHDRAWALS_KEY)).toBeNull();
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([500, 1000, 2000]);
    // The page reads again what it shows.
    expect(received).toHaveLength(confirmed);
  },
);

test("a withdrawal waits for as long as the edge asks, and no withdrawal waits for that of another id for ever", async () => {
  const slow = new Response(null, { status: 503, headers: { "retry-after": "30" } });
  const { edge, consent, storage, timers } = await withdrawnPage(slow);
  await expect.poll(() => timers.length).toBe(1);
  expect(timers[0]?.delayMs).toBe(30_000);
  const [own] = JSON.parse(storage.getItem(WITHDRAWALS_KEY) ?? "[]") as ConsentReceipt[];
  const other = { ...own, visitorId: "00000000-0000-4000-8000-000000000001", signature: "B" };
  storage.setItem(WITHDRAWALS_KEY, JSON.stringify([own, other]));
  // The edge takes one of them only.
  edge.nextConsents.push(refused(400, "SCHEMA_INVALID"));
  timers[0]?.run();
  await expect.poll(() => timers.length).toBe(2);
  timers[1]?.run();
  await expect.poll(() => edge.withdrawn).toEqual([own]);
  expect(consent.isWithdrawing).toBe(true);
});

test("a page whose key the edge does not know asks once, and the next visit sends the withdrawal", async () => {
  const delays: number[] = [];
  const schedule: Schedule = (_, delayMs) => {
    delays.push(delayMs);
    return () => undefined;
  };
  const { edge, consent, storage, uploader } = await openPage({ schedule });
  consent.grant();
  await uploader.flush();
  edge.unknownSite = true;
  const known = edge.requests.length;
  consent.withdraw();
  await expect.poll(() => edge.requests.length).toBeGreaterThan(known);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([edge.withdrawn.length, consent.isWithdrawing, delays.length]).toEqual([0, true, 0]);
  // The operator has given the site a new key.
  edge.unknownSite = false;
  await openPage({ edge, storage });
  await expect.poll(() => edge.withdrawn).toHaveLength(1);
  await expect.poll(() => consent.isWithdrawing).toBe(false);
});

test("a page that finds the withdrawals sent by another tab sends the next one at once", async () => {
  const { edge, consent, storage, timers } = await withdrawnPage("network");
  await expect.poll(() => timers.length).toBe(1);
  const kept = storage.getItem(WITHDRAWALS_KEY) ?? "";
  storage.removeItem(WITHDRAWALS_KEY);
  timers[0]?.run();
  // Another tab adds one and is closed.
  storage.setItem(WITHDRAWALS_KEY, kept);
  consent.withdraw();
  await expect.poll(() => edge.withdrawn).toHaveLength(1);
});

/** A page on an edge that does this after it has recorded a consent and before the page has the answer. */
async function interruptedPage(act: (page: Awaited<ReturnType<typeof openPage>>) => void) {
  const edge = createFakeEdge(() => START);
  const plain = edge.fetch;
  const fetch: typeof plain = async (url, init) => {
    const answer = await plain(url, init);
    if (url.endsWith("/v1/consents")) act(page);
    return answer;
  };
  const page = await openPage({ edge: Object.assign(edge, { fetch }) });
  page.consent.grant();
  await page.uploader.flush();
  return page;
}

test("a consent that is withdrawn while its receipt is under way is withdrawn at the edge as well", async () => {
  const { edge, receipts } = await interruptedPage(({ consent }) => consent.withdraw());
  await expect.poll(() => edge.withdrawn).toMatchObject([{ visitorId: edge.visitorId }]);
  expect(receipts.list()).toEqual([]);
});

test("a receipt that arrives after the visitor was forgotten is not kept", async () => {
  const { edge, storage } = await interruptedPage(({ consent, receipts }) => {
    receipts.clear();
    consent.withdraw();
  });
  expect([storage.getItem("waggle.receipts"), storage.getItem(WITHDRAWALS_KEY)]).toEqual([
    null,
    null,
  ]);
  expect(edge.withdrawn).toEqual([]);
});

test("a withdrawal after receipts were asked for again covers the consents before as well", async () => {
  const { edge, time, consent, receipts, uploader } = await openPage();
  const first = consent.grant();
  await uploader.flush();
  time.now += 1000;
  const second = consent.grant(["collect"]);
  await uploader.flush();
  expect(receipts.renew()).toBe(true);
  await uploader.flush();
  await uploader.flush();
  expect(edge.consents.map(({ consent: one }) => one)).toEqual([first, second, second]);
  expect(receipts.list().map(({ consent: one }) => one)).toEqual([first, second]);
  consent.withdraw();
  await expect.poll(() => edge.withdrawn.map(({ consent: one }) => one)).toEqual([first, second]);
});

test("a visitor who is forgotten withdraws nothing, and damaged receipts are none", async () => {
  const { edge, storage, consent, receipts, uploader } = await openPage();
  consent.grant();
  await uploader.flush();
  receipts.clear();
  consent.withdraw();
  await uploader.flush();
  expect(pathsOf(edge)).toEqual(["POST /v1/consents"]);
  storage.setItem("waggle.receipts", '[{"visitorId":"x"},null,7]');
  expect(receipts.list()).toEqual([]);
  storage.setItem("waggle.receipts", "{");
  expect(receipts.list()).toEqual([]);
});
