import { expect, test } from "vitest";
import { createConsentStore } from "./consent-store.ts";
import { createEdgeSession } from "./edge-session.ts";
import { createFakeEdge } from "./fake-edge.fixture.ts";
import { createMemoryStorage } from "./key-value-storage.ts";
import { createOutbox } from "./outbox.ts";
import { exampleTrajectory } from "./trajectory.fixture.ts";
import { createUploader } from "./uploader.ts";

test("in a real browser, two tabs share one database and every trajectory arrives once", async () => {
  const name = `browser-${crypto.randomUUID()}`;
  const edge = createFakeEdge();
  const tabs = await Promise.all(
    [0, 1].map(async () => {
      const storage = createMemoryStorage();
      const outbox = await createOutbox({ name });
      const consent = createConsentStore({ storage, currentVersion: "1" });
      consent.grant();
      const session = createEdgeSession({
        edgeUrl: "https://edge.example",
        siteKey: "site",
        storage,
        consent,
        fetch: edge.fetch,
      });
      return { outbox, uploader: createUploader({ outbox, session, consent, batchSize: 4 }) };
    }),
  );
  await Promise.all(
    Array.from({ length: 30 }, (_, n) => tabs[n % 2]?.outbox.enqueue(exampleTrajectory(n))),
  );
  await Promise.all(tabs.map((tab) => tab.uploader.flush()));
  expect(edge.stored.size).toBe(30);
  expect([...edge.stored.values()].every((stored) => stored.arrivals === 1)).toBe(true);
  expect(await tabs[0]?.outbox.summary()).toMatchObject({ waiting: 0, sent: 30, storage: "ok" });
  for (const tab of tabs) tab.outbox.close();
});

test("a change in one tab notifies the other", async () => {
  const name = `browser-${crypto.randomUUID()}`;
  const [here, there] = await Promise.all([createOutbox({ name }), createOutbox({ name })]);
  const heard = new Promise<void>((resolve) => there.onChange(resolve));
  await here.enqueue(exampleTrajectory(1));
  await heard;
  expect((await there.list())[0]?.state).toBe("waiting");
  here.close();
  there.close();
});
