import { openDB } from "idb";
import { expect, test } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import { createConsentStore } from "./consent-store.ts";
import { createEdgeSession } from "./edge-session.ts";
import { createFakeEdge } from "./fake-edge.fixture.ts";
import { createMemoryStorage } from "./key-value-storage.ts";
import { createOutbox } from "./outbox.ts";
import { exampleTrajectory } from "./trajectory.fixture.ts";
import { createUploader } from "./uploader.ts";

type Row = { digest: string; [member: string]: unknown };

/** A page in this browser with a clock that the test sets and direct access to its database. */
async function openPage(waiting: number) {
  const name = `damage-${crypto.randomUUID()}`;
  const time = { now: 1_800_000_000_000 };
  const clock = () => time.now++;
  const storage = createMemoryStorage();
  const consent = createConsentStore({ storage, currentVersion: "1" });
  consent.grant();
  const edge = createFakeEdge();
  const session = createEdgeSession({
    edgeUrl: "https://edge.example",
    siteKey: "site",
    storage,
    consent,
    fetch: edge.fetch,
  });
  const outbox = await createOutbox({ name, clock });
  for (let n = 0; n < waiting; n += 1) await outbox.enqueue(exampleTrajectory(n));
  const database = await openDB(name);
  /** Changes the stored row of the nth trajectory. `null` deletes it. */
  const damage = async (store: "entries" | "bodies", n: number, change: (row: Row) => unknown) => {
    const all = await database.getAllFromIndex("entries", "enqueuedAt");
    const row = await database.get(store, all[n].digest);
    const changed = change(row);
    if (changed === null) await database.delete(store, row.digest);
    else await database.put(store, changed);
  };
  const close = () => {
    database.close();
    outbox.close();
  };
  const uploader = createUploader({ outbox, session, consent, clock, batchSize: 4 });
  return { edge, outbox, uploader, database, damage, time, close };
}

fault(
  "damaged rows are taken out and the rows behind them are sent",
  { item: "1.5", before: "the first damaged row ended every flush; 0 of 4 sound rows were sent" },
  async () => {
    const { outbox, uploader, edge, database, damage, close } = await openPage(12);
    await damage("bodies", 0, ({ digest }) => ({ digest, trajectory: null, text: null }));
    await damage("bodies", 1, () => null);
    await damage("bodies", 2, ({ digest }) => ({ digest, trajectory: { id: 7n }, text: null }));
    await damage("bodies", 3, (row) => ({
      ...row,
      trajectory: { ...(row["trajectory"] as object), policyVersion: 9 },
    }));
    await damage("bodies", 4, ({ digest }) => ({ digest, trajectory: "text", text: null }));
    // A row without its time is not in the index, so from here on the indices count down.
    await damage("entries", 11, (row) => ({ ...row, enqueuedAt: null }));
    await damage("entries", 10, (row) => ({ ...row, sizeBytes: Number.NaN }));
    await damage("entries", 9, (row) => ({ ...row, state: "lost" }));
    await database.put("feedback", {
      id: "f1",
      feedback: undefined,
      enqueuedAt: 1,
      claimedUntil: 0,
    });
    await outbox.enqueueFeedback({
      id: "00000000-0000-4000-8000-00000000aaaa",
      trajectoryId: exampleTrajectory(5).id,
      kind: "thumb-up",
      at: "2026-11-20T00:00:00.000Z",
    });

    const report = await uploader.flush();
    expect(report).toMatchObject({ sent: 4, ended: "empty", feedbackSent: 1 });
    expect(edge.stored.size).toBe(4);
    const summary = await outbox.summary();
    expect(summary).toMatchObject({ waiting: 0, feedbackWaiting: 0, damaged: 9, storage: "ok" });
    const reasons = (await outbox.list()).map(({ reason }) => reason?.code ?? "none");
    expect(reasons.filter((code) => code === "STORAGE_DAMAGED")).toHaveLength(5);
    close();
    return { after: `${report.sent} of 4 sent, ${summary.damaged} of 9 damaged rows reported` };
  },
);

fault(
  "a claim that was made before the clock went back is expired",
  {
    item: "1.5",
    before: "after the clock went back by a day 0 of 3 rows could be claimed for a day",
  },
  async () => {
    const { outbox, uploader, time, close } = await openPage(3);
    await outbox.enqueueFeedback({
      id: "00000000-0000-4000-8000-00000000aaaa",
      trajectoryId: exampleTrajectory(50).id,
      kind: "thumb-up",
      at: "2026-11-20T00:00:00.000Z",
    });
    const claim = { limit: 10, maxBytes: 1e6, leaseMs: 60_000 };
    expect(await outbox.claim(claim)).toHaveLength(3);
    expect(await outbox.claimFeedback(claim)).toHaveLength(1);
    // Another tab has claimed them, so nothing is sent.
    expect(await uploader.flush()).toMatchObject({ sent: 0, ended: "empty" });
    time.now -= 86_400_000;
    const report = await uploader.flush();
    expect(report).toMatchObject({ sent: 3, feedbackSent: 1 });
    close();
    return { after: `${report.sent} of 3 rows sent` };
  },
);

test("a row that the browser cannot read is removed, and the other rows are sent", async () => {
  const { outbox, uploader, edge, close } = await openPage(3);
  const [, second] = (await outbox.list()).toReversed();
  const original = Object.getOwnPropertyDescriptor(IDBObjectStore.prototype, "get");
  const read = original?.value as (key: IDBValidKey | IDBKeyRange) => IDBRequest;
  IDBObjectStore.prototype.get = function (this: IDBObjectStore, key) {
    const isUnreadable = this.name === "bodies" && key === second?.digest;
    if (isUnreadable) throw new DOMException("Failed to read large IndexedDB value", "DataError");
    return read.call(this, key);
  };
  try {
    expect(await uploader.flush()).toMatchObject({ sent: 2, ended: "empty" });
  } finally {
    Object.defineProperty(IDBObjectStore.prototype, "get", original ?? {});
  }
  expect(edge.stored.size).toBe(2);
  expect(await outbox.summary()).toMatchObject({ waiting: 0, damaged: 1, storage: "ok" });
  close();
});

test("a row with a damaged size does not cause sound rows to be dropped", async () => {
  const { outbox, damage, close } = await openPage(3);
  await damage("entries", 0, (row) => ({ ...row, sizeBytes: Number.NaN }));
  await outbox.enqueue(exampleTrajectory(9));
  expect(await outbox.summary()).toMatchObject({ dropped: 0 });
  expect(await outbox.claim({ limit: 10, maxBytes: 1e6, leaseMs: 1000 })).toHaveLength(3);
  close();
});
