/** A page of the release before there were sites is reloaded: its consent, visitor and unsent records are kept. */
import "fake-indexeddb/auto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openDB } from "idb";
import { expect, test } from "vitest";
import { createConsentStore } from "./consent-store.ts";
import { createEdgeSession } from "./edge-session.ts";
import { createFakeEdge } from "./fake-edge.fixture.ts";
import { createMemoryStorage } from "./key-value-storage.ts";
import { createOutbox } from "./outbox.ts";
import { createUploader } from "./uploader.ts";

type Store = {
  readonly name: string;
  readonly keyPath: string | null;
  readonly indexes: readonly { name: string; keyPath: string; unique: boolean }[];
  readonly keys: readonly IDBValidKey[];
  readonly rows: readonly unknown[];
};
type Recorded = {
  readonly storage: { readonly [key: string]: string };
  readonly outbox: {
    readonly name: string;
    readonly version: number;
    readonly stores: readonly Store[];
  };
};

const RECORDED = "../../../test/fixtures/release-26696fa9/page.json";
const page = JSON.parse(readFileSync(join(import.meta.dirname, RECORDED), "utf8")) as Recorded;

/** Stores the recorded database in this process. */
async function restore({ name, version, stores }: Recorded["outbox"]): Promise<void> {
  const database = await openDB(name, version, {
    upgrade(db) {
      for (const { name: store, keyPath, indexes } of stores) {
        const created = db.createObjectStore(store, keyPath === null ? {} : { keyPath });
        for (const index of indexes) {
          created.createIndex(index.name, index.keyPath, { unique: index.unique });
        }
      }
    },
  });
  for (const { name: store, keyPath, keys, rows } of stores) {
    for (const [i, row] of rows.entries()) {
      await database.put(store, row, keyPath === null ? keys[i] : undefined);
    }
  }
  database.close();
}

test("after the update the page sends what it had not sent, as the same visitor and with the same consent", async () => {
  await restore(page.outbox);
  const storage = createMemoryStorage();
  for (const [key, value] of Object.entries(page.storage)) storage.setItem(key, value);

  const consent = createConsentStore({ storage, currentVersion: "1" });
  expect(consent.decision()).toBe("granted");
  const edge = createFakeEdge();
  const opened: { visitorToken?: string }[] = [];
  const session = createEdgeSession({
    edgeUrl: "https://edge.example",
    siteKey: "test-site",
    storage,
    consent,
    fetch: (url, init) => {
      if (new URL(url).pathname === "/v1/sessions") opened.push(JSON.parse(init?.body as string));
      return edge.fetch(url, init);
    },
  });
  expect(session.storedManifest()?.policy.version).toBe(1);

  const outbox = await createOutbox({ name: page.outbox.name });
  const before = await outbox.summary();
  expect(before).toMatchObject({ waiting: 1, sent: 1, feedbackWaiting: 1, damaged: 0, dropped: 0 });
  const [waiting] = (await outbox.list()).filter(({ state }) => state === "waiting");
  const report = await createUploader({ outbox, session, consent, isOnline: () => true }).flush();
  expect(report).toMatchObject({ sent: 1, rejected: 0, feedbackSent: 1, ended: "empty" });
  expect([...edge.stored.keys()]).toEqual([waiting?.digest]);
  expect(opened[0]?.visitorToken).toBe(page.storage["waggle.visitorToken"]);
  expect(await outbox.summary()).toMatchObject({ waiting: 0, sent: 2, feedbackWaiting: 0 });
  outbox.close();
});
