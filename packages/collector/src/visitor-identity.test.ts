import { expect, test } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import { createConsentStore } from "./consent-store.ts";
import { createEdgeSession } from "./edge-session.ts";
import type { Fetch } from "./edge-session.ts";
import { createMemoryStorage } from "./key-value-storage.ts";

const KEY = "waggle.visitorToken";

/** An edge that numbers visitors and records which of them were deleted. */
type SessionQuestion = { remember?: boolean; visitorToken?: string };
type Edge = { sessions: SessionQuestion[]; deleted: string[]; isDown: boolean; fetch: Fetch };

function createEdge(): Edge {
  let visitors = 0;
  const edge: Edge = {
    sessions: [],
    deleted: [],
    isDown: false,
    async fetch(url, init) {
      if (edge.isDown) throw new TypeError("Failed to fetch");
      const { pathname } = new URL(url);
      if (pathname === "/v1/visitor") {
        edge.deleted.push(new Headers(init?.headers).get("authorization") ?? "");
        return Response.json({
          deletedTrajectories: 1,
          deletedFeedback: 0,
          deletedOutcomes: 0,
          learnedBy: [2],
        });
      }
      const asked = JSON.parse(
        typeof init?.body === "string" ? init.body : "{}",
      ) as SessionQuestion;
      edge.sessions.push(asked);
      const kind = asked.remember === false ? "visit" : "lasting";
      const visitorToken = asked.visitorToken ?? `${kind}-${(visitors += 1)}`;
      return Response.json({
        token: `session of ${visitorToken}`,
        expiresAt: "2099-01-01T00:00:00.000Z",
        visitorId: "00000000-0000-4000-8000-0000000000ff",
        visitorToken,
        channel: "stable",
      });
    },
  };
  return edge;
}

function openBrowser(storage = createMemoryStorage(), edge = createEdge()) {
  const consent = createConsentStore({ storage, currentVersion: "1" });
  const session = createEdgeSession({
    storage,
    consent,
    fetch: edge.fetch,
    edgeUrl: "https://edge.example",
    siteKey: "site",
  });
  return { storage, edge, consent, session };
}

fault(
  "an id is stored only while there is consent",
  { item: "3.2", before: "the first session stored a token for 400 days, with no consent given" },
  async () => {
    const { storage, consent, session } = openBrowser();
    const stored: (string | null)[] = [];
    const look = async () => {
      await session.token();
      stored.push(storage.getItem(KEY));
    };
    await look();
    consent.grant();
    await look();
    consent.withdraw();
    stored.push(storage.getItem(KEY));
    await look();
    consent.grant();
    await look();
    expect(stored).toEqual([null, "lasting-2", null, null, "lasting-4"]);
    const kept = stored.filter((token) => token !== null).length;
    return { after: `stored in ${kept} of 2 states with consent and in 0 of 3 without` };
  },
);

test("a visit without consent stays one visitor until the page is closed", async () => {
  const { edge, session } = openBrowser();
  expect(await session.token()).toBe("session of visit-1");
  expect(await session.refresh()).toBe("session of visit-1");
  expect(edge.sessions).toEqual([
    { siteKey: "site", remember: false },
    { siteKey: "site", remember: false, visitorToken: "visit-1" },
  ]);
});

test("a token stored by the previous release is kept with consent and removed on load without", async () => {
  const agreed = createMemoryStorage();
  createConsentStore({ storage: agreed, currentVersion: "1" }).grant();
  agreed.setItem(KEY, "lasting of before");
  expect(await openBrowser(agreed).session.token()).toBe("session of lasting of before");
  expect(agreed.getItem(KEY)).toBe("lasting of before");
  const undecided = createMemoryStorage();
  undecided.setItem(KEY, "lasting of before");
  const { session } = openBrowser(undecided);
  expect(undecided.getItem(KEY)).toBeNull();
  expect(await session.token()).toBe("session of visit-1");
});

test("a withdrawal in another tab takes effect at the next request", async () => {
  const { storage, consent, session } = openBrowser();
  consent.grant();
  expect(await session.token()).toBe("session of lasting-1");
  createConsentStore({ storage, currentVersion: "1" }).withdraw();
  expect(await session.token()).toBe("session of visit-2");
  expect(storage.getItem(KEY)).toBeNull();
});

test("a session that opens while consent is being withdrawn stores nothing", async () => {
  const { storage, consent, session, edge } = openBrowser();
  consent.grant();
  const answer = edge.fetch;
  edge.fetch = async (url, init) => {
    consent.withdraw();
    return answer(url, init);
  };
  const late = openBrowser(storage, edge);
  await late.session.token();
  await session.token();
  expect(storage.getItem(KEY)).toBeNull();
});

test("forget me after a withdrawal deletes every id of this visit", async () => {
  const { storage, edge, consent, session } = openBrowser();
  for (let i = 0; i < 2; i += 1) {
    consent.grant();
    await session.token();
    consent.withdraw();
  }
  session.requestDeletion();
  const deleted = await session.finishDeletion();
  expect(deleted).toEqual({
    deletedTrajectories: 2,
    deletedFeedback: 0,
    deletedOutcomes: 0,
    learnedBy: [2],
  });
  expect(edge.deleted).toEqual(["Bearer session of lasting-1", "Bearer session of lasting-2"]);
  expect(storage.getItem("waggle.deletion")).toBeNull();
});

test("a deletion without consent sends no request, since the edge stored nothing", async () => {
  const { edge, session } = openBrowser();
  session.requestDeletion();
  expect(await session.finishDeletion()).toMatchObject({ deletedTrajectories: 0 });
  expect(edge.sessions).toEqual([]);
});

fault(
  "a deletion that the edge did not confirm is finished at the next visit",
  { item: "3.2", before: "1 of 1 was left to the visitor, who had to ask again" },
  async () => {
    const { storage, edge, consent, session } = openBrowser();
    consent.grant();
    await session.token();
    edge.isDown = true;
    session.requestDeletion();
    consent.withdraw();
    await expect(session.finishDeletion()).rejects.toMatchObject({ code: "NETWORK" });
    expect(storage.getItem(KEY)).toBeNull();
    edge.isDown = false;
    const next = openBrowser(storage, edge);
    next.consent.grant();
    expect(await next.session.token()).toBe("session of lasting-2");
    await next.session.finishDeletion();
    expect(edge.deleted).toEqual(["Bearer session of lasting-1"]);
    // The new id belongs to another visitor and is kept.
    expect(storage.getItem(KEY)).toBe("lasting-2");
    expect(storage.getItem("waggle.deletion")).toBeNull();
    return { after: `${edge.deleted.length} of 1 deleted by the next visit` };
  },
);
