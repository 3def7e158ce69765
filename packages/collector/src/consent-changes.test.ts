/** A consent that expired or was narrowed after something was recorded under it. */
import "fake-indexeddb/auto";
import type { Consent, Outcome } from "@waggle/protocol";
import { expect, test, vi } from "vitest";
import { createConsentStore } from "./consent-store.ts";
import { createEdgeSession } from "./edge-session.ts";
import { createFakeEdge } from "./fake-edge.fixture.ts";
import { createMemoryStorage } from "./key-value-storage.ts";
import { createOutbox } from "./outbox.ts";
import { exampleTrajectory } from "./trajectory.fixture.ts";
import { createUploader } from "./uploader.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 20);

let pages = 0;

/** A page that asks about each scope, for consents of 30 days. */
async function openPage() {
  const time = { now: START };
  const clock = (): number => time.now;
  const edge = createFakeEdge(clock);
  const storage = createMemoryStorage();
  const consent = createConsentStore({
    storage,
    currentVersion: "1",
    expiresAfterDays: 30,
    hasChoices: true,
    clock,
  });
  const session = createEdgeSession({
    edgeUrl: "https://edge.example",
    siteKey: "site",
    storage,
    consent,
    fetch: edge.fetch,
    clock,
  });
  const outbox = await createOutbox({ name: `consent-${pages++}`, clock });
  const told: string[] = [];
  const uploader = createUploader({
    outbox,
    session,
    consent,
    clock,
    isOnline: () => true,
    events: [],
    log: (message) => told.push(message),
  });
  /** Records a request under the consent in force. */
  const record = (number: number, under: Consent | null) =>
    outbox.enqueue({ ...exampleTrajectory(number), ...(under && { consent: under }) });
  return { edge, time, consent, outbox, uploader, told, record };
}

const outcome: Outcome = {
  id: "00000000-0000-4000-8000-00000000000a",
  trajectoryId: exampleTrajectory(1).id,
  metric: "booked",
  value: true,
  at: "2026-11-20T00:00:00.000Z",
};

test("a consent holds for its days, and then the visitor is undecided", async () => {
  const { consent, time } = await openPage();
  consent.grant();
  time.now = START + 30 * DAY;
  expect(consent.decision()).toBe("granted");
  time.now += 1;
  expect(consent.decision()).toBe("undecided");
  expect(consent.get()).toBeNull();
});

test("a consent from a clock that was fast by more than a day does not count", async () => {
  const { consent, time } = await openPage();
  consent.grant();
  time.now = START - DAY;
  expect(consent.get()).not.toBeNull();
  time.now -= 1;
  expect(consent.get()).toBeNull();
});

test("nothing is sent after the consent has expired", async () => {
  const { edge, consent, time, uploader, record, outbox } = await openPage();
  await record(1, consent.grant());
  time.now = START + 31 * DAY;
  expect(await uploader.flush()).toMatchObject({ sent: 0, ended: "no-consent" });
  consent.grant();
  expect(await uploader.flush()).toMatchObject({ sent: 0, ended: "empty" });
  expect(edge.requests).toEqual([]);
  expect((await outbox.list())[0]?.reason?.code).toBe("CONSENT_MISSING");
});

test("a record that allows more than the visitor agrees to now is not sent; one that allows less is", async () => {
  const { edge, consent, uploader, record, outbox } = await openPage();
  await record(1, consent.grant(["collect", "train"]));
  await record(2, consent.grant(["collect"]));
  expect(await uploader.flush()).toMatchObject({ sent: 1 });
  expect(await outbox.summary()).toMatchObject({ sent: 1, rejected: 1 });
  await record(3, consent.get());
  consent.grant(["collect", "train", "feedback"]);
  expect(await uploader.flush()).toMatchObject({ sent: 1 });
  expect(edge.stored.size).toBe(2);
});

test("a scope that is given up while a batch is prepared keeps that batch in the page", async () => {
  const { edge, consent, outbox, uploader, record } = await openPage();
  await record(1, consent.grant(["collect", "train"]));
  const settle = outbox.settle.bind(outbox);
  // Called last before the batch is prepared.
  outbox.settle = async (settlements) => {
    await settle(settlements);
    consent.grant(["collect"]);
  };
  expect(await uploader.flush()).toMatchObject({ sent: 0, ended: "empty" });
  expect(edge.requests).toEqual([]);
  expect(await outbox.summary()).toMatchObject({ waiting: 0, rejected: 1 });
});

test("outcomes and feedback need consent to feedback", async () => {
  const { edge, consent, outbox, uploader } = await openPage();
  consent.grant(["collect", "train"]);
  await outbox.enqueueFeedback(outcome);
  expect(await uploader.flush()).toMatchObject({ feedbackSent: 0, ended: "empty" });
  expect((await outbox.summary()).feedbackWaiting).toBe(0);
  consent.grant(["collect", "feedback"]);
  await outbox.enqueueFeedback(outcome);
  expect(await uploader.flush()).toMatchObject({ feedbackSent: 1 });
  expect(edge.outcomes).toEqual([outcome]);
});

test("consent to one question covers feedback", () => {
  const store = createConsentStore({ storage: createMemoryStorage(), currentVersion: "1" });
  const { choices, scopes } = store.grant();
  expect({ choices, scopes }).toEqual({ choices: undefined, scopes: ["collect", "train"] });
  expect(store.covers({ ...store.grant(), scopes: ["collect", "train", "feedback"] })).toBe(true);
});

test("feedback that the edge refuses is dropped, and the page's developer reads why", async () => {
  const { edge, consent, outbox, uploader, told } = await openPage();
  consent.grant(["collect", "feedback"]);
  const error = { code: "CONSENT_EXPIRED", message: "ask the visitor again" };
  edge.nextFeedback.push(Response.json({ error }, { status: 403 }));
  const { id, trajectoryId, at } = outcome;
  await outbox.enqueueFeedback({ id, trajectoryId, kind: "thumb-up", at });
  await uploader.flush();
  expect((await outbox.summary()).feedbackWaiting).toBe(0);
  expect(edge.feedback).toEqual([]);
  expect(told).toEqual([
    "Waggle: the edge refused feedback or an outcome, which is dropped. CONSENT_EXPIRED: ask the visitor again",
  ]);
  await outbox.enqueueFeedback(outcome);
  await uploader.flush();
  expect(edge.outcomes).toEqual([outcome]);
  expect(told).toHaveLength(1);
});

test("a change in another tab is heard, also if all of the storage was cleared", () => {
  const tabs = new EventTarget();
  const storage = createMemoryStorage();
  const own = createConsentStore({ storage, currentVersion: "1", tabs });
  const other = createConsentStore({ storage, currentVersion: "1" });
  const heard: string[] = [];
  own.onChange(() => heard.push(own.decision()));
  const tell = (key: string | null) =>
    tabs.dispatchEvent(Object.assign(new Event("storage"), { key }));
  other.grant();
  tell("waggle.consent");
  tell("waggle.manifest");
  other.withdraw();
  tell("waggle.consent");
  other.clear();
  tell(null);
  expect(heard).toEqual(["granted", "declined", "undecided"]);
});

test("a store that no listener is left of listens to no other tab", () => {
  const tabs = new EventTarget();
  const heard: string[] = [];
  const counted: string[] = [];
  const add = vi
    .spyOn(tabs, "addEventListener")
    .mockImplementation((type) => counted.push(`+${type}`));
  const remove = vi
    .spyOn(tabs, "removeEventListener")
    .mockImplementation((type) => counted.push(`-${type}`));
  const store = createConsentStore({ storage: createMemoryStorage(), currentVersion: "1", tabs });
  const [first, second] = [1, 2].map(() => store.onChange(() => heard.push("changed")));
  first?.();
  first?.();
  expect(counted).toEqual(["+storage"]);
  second?.();
  expect(counted).toEqual(["+storage", "-storage"]);
  store.onChange(() => heard.push("again"));
  store.grant();
  expect(heard).toEqual(["again"]);
  expect(counted.at(-1)).toBe("+storage");
  expect(add.mock.calls[0]?.[1]).toBe(remove.mock.calls[0]?.[1]);
});
