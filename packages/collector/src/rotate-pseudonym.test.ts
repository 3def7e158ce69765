/** When a page leaves the visitor's id, and what is left that could link the two. */
import "fake-indexeddb/auto";
import type { Consent } from "@waggle/protocol";
import { expect, test } from "vitest";
import { createConsentReceipts } from "./consent-receipts.ts";
import { createConsentStore } from "./consent-store.ts";
import { createEdgeSession } from "./edge-session.ts";
import type { Fetch } from "./edge-session.ts";
import { createMemoryStorage } from "./key-value-storage.ts";
import { createOutbox } from "./outbox.ts";
import { forgetVisitor } from "./forget-visitor.ts";
import { rotatePseudonym } from "./rotate-pseudonym.ts";
import { exampleTrajectory } from "./trajectory.fixture.ts";
import { createUploader } from "./uploader.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 20, 13, 7, 21, 345);

let pages = 0;

type Sent = { readonly path: string; readonly visitor: string; readonly body: string };

/** An edge whose tokens are the visitor's ids. It gives the ids `v1`, `v2`, … */
function edgeOfIds(clock: () => number) {
  const sent: Sent[] = [];
  let ids = 0;
  const fetch: Fetch = async (url, init = {}) => {
    const { pathname: path } = new URL(url);
    const bytes = new Response((init.body ?? null) as BodyInit | null);
    const isGzip = new Headers(init.headers).get("content-encoding") === "gzip";
    const body = isGzip
      ? await new Response(bytes.body?.pipeThrough(new DecompressionStream("gzip"))).text()
      : await bytes.text();
    if (path === "/v1/sessions") {
      const { visitorToken = `v${++ids}` } = JSON.parse(body) as { visitorToken?: string };
      sent.push({ path, visitor: visitorToken, body });
      return Response.json({
        token: visitorToken,
        expiresAt: new Date(clock() + 600_000).toISOString(),
        visitorId: `00000000-0000-4000-8000-00000000000${visitorToken.slice(1)}`,
        visitorToken,
        channel: "stable",
      });
    }
    const visitor = new Headers(init.headers).get("authorization")?.slice(7) ?? "";
    sent.push({ path, visitor, body });
    if (path === "/v1/consents") {
      return Response.json({
        site: "default",
        visitorId: `00000000-0000-4000-8000-00000000000${visitor.slice(1)}`,
        ...(JSON.parse(body) as object),
        recordedAt: new Date(clock()).toISOString(),
        signature: visitor.padStart(43, "A"),
      });
    }
    if (path === "/v1/trajectories") {
      const { trajectories } = JSON.parse(body) as { trajectories: { digest: string }[] };
      const results = trajectories.map(({ digest }) => ({ digest, status: "accepted" }));
      return Response.json({ results });
    }
    return Response.json({ deletedTrajectories: 1, deletedFeedback: 0, learnedBy: [] });
  };
  return { sent, fetch };
}

/** What the tabs of a browser share. */
function newBrowser() {
  const time = { now: START };
  const clock = (): number => time.now;
  const storage = createMemoryStorage();
  return { time, clock, storage, edge: edgeOfIds(clock), name: `rotation-${pages++}` };
}

/** A tab. */
async function openPage(browser = newBrowser()) {
  const { time, clock, storage, edge, name } = browser;
  const consent = createConsentStore({ storage, currentVersion: "1", clock });
  const options = { edgeUrl: "https://edge.example", siteKey: "site", storage, consent, clock };
  const session = createEdgeSession({ ...options, fetch: edge.fetch });
  const outbox = await createOutbox({ name, clock });
  /** What the page does later. */
  const timers: { readonly run: () => void; readonly delayMs: number }[] = [];
  const schedule = (run: () => void, delayMs: number) => {
    timers.push({ run, delayMs });
    return () => undefined;
  };
  const random = (): number => 0.5;
  const receipts = createConsentReceipts({ session, consent, storage, clock, random, schedule });
  const parts = { session, consent, receipts, outbox };
  const uploader = createUploader({ ...parts, clock, isOnline: () => true, events: [] });
  const rotate = (days: number) => rotatePseudonym(parts, days, time.now);
  return { ...browser, ...parts, timers, uploader, rotate };
}

/** A page whose visitor has left the id `v1`, and has sent one record under it. */
async function rotatedPage() {
  const page = await openPage();
  const { consent, outbox, time, uploader, rotate } = page;
  const before = consent.grant(undefined, { text: "May we?", language: "en" });
  await outbox.enqueue({ ...exampleTrajectory(1), consent: before });
  await uploader.flush();
  time.now += 30 * DAY;
  expect(await rotate(30)).toBe(true);
  return { ...page, before };
}

test("an id is left after the days of the site, counted from its first receipt, and not before", async () => {
  const { consent, session, time, uploader, rotate } = await openPage();
  expect(await rotate(30)).toBe(false);
  consent.grant();
  expect(await rotate(30)).toBe(false);
  await uploader.flush();
  time.now += 30 * DAY - 1;
  expect(await rotate(30)).toBe(false);
  time.now += 1;
  expect(await rotate(30)).toBe(true);
  await uploader.flush();
  expect(session.visitorId).toMatch(/2$/);
  expect(await rotate(30)).toBe(false);
  time.now += 30 * DAY;
  expect(await rotate(30)).toBe(true);
});

test("nothing is left behind: an id with unsent records or feedback is kept until they are sent", async () => {
  const { consent, outbox, time, uploader, rotate } = await openPage();
  const agreed = consent.grant();
  await uploader.flush();
  time.now += 31 * DAY;
  await outbox.enqueue({ ...exampleTrajectory(1), consent: agreed });
  expect(await rotate(30)).toBe(false);
  await uploader.flush();
  expect(await rotate(30)).toBe(true);
});

test("what the page sends under the new id has neither the old id nor the exact time of the consent", async () => {
  const { before, consent, edge, outbox, uploader } = await rotatedPage();
  const known = edge.sent.length;
  const after = consent.get();
  expect(after).toEqual({ ...before, grantedAt: "2026-11-20T00:00:00.000Z" });
  // Under way in another tab since before the rotation: it would carry the exact time.
  await outbox.enqueue({ ...exampleTrajectory(2), consent: before });
  await outbox.enqueue({ ...exampleTrajectory(3), consent: after ?? before });
  expect(await uploader.flush()).toMatchObject({ sent: 1 });
  const sent = edge.sent.slice(known);
  expect(sent.map(({ path, visitor }) => `${visitor} ${path}`)).toEqual([
    "v2 /v1/sessions",
    "v2 /v1/consents",
    "v2 /v1/trajectories",
  ]);
  const all = JSON.stringify(sent);
  expect(all).not.toContain(before.grantedAt);
  expect(all).not.toMatch(/v1"|00000000001"/);
  // The receipt of the new id still names the text.
  expect(sent[1]?.body).toContain('"language":"en"');
});

test("the sessions of earlier ids stay, and forget me deletes all ids", async () => {
  const { consent, edge, outbox, receipts, session, storage, uploader } = await rotatedPage();
  await uploader.flush();
  const [former, ...others] = session.earlier();
  expect(others).toEqual([]);
  await former?.request("/v1/visitor");
  expect(edge.sent.at(-1)).toMatchObject({ path: "/v1/visitor", visitor: "v1" });
  expect(session.earlier()[0]).toBe(former);
  const known = edge.sent.length;
  const deleted = await forgetVisitor({ session, outbox, consent, uploader, receipts });
  expect(deleted.deletedTrajectories).toBe(2);
  const visitors = edge.sent.slice(known).filter(({ path }) => path === "/v1/visitor");
  expect(visitors.map(({ visitor }) => visitor)).toEqual(["v2", "v1"]);
  expect(session.earlier()).toEqual([]);
  expect(storage.getItem("waggle.earlierTokens")).toBeNull();
});

test("a withdrawal covers all ids, one after the other with a pause, and forget me still reaches all", async () => {
  const page = await rotatedPage();
  const { consent, edge, outbox, receipts, session, storage, timers, uploader } = page;
  await uploader.flush();
  consent.withdraw();
  expect(storage.getItem("waggle.visitorToken")).toBeNull();
  expect(storage.getItem("waggle.earlierTokens")).toBeNull();
  const withdrawals = () => edge.sent.filter(({ path }) => path.endsWith("/withdrawals"));
  const named = () =>
    withdrawals().map(({ body }) => {
      const { receipts: sent } = JSON.parse(body) as { receipts: { visitorId: string }[] };
      return sent.map(({ visitorId }) => visitorId.at(-1));
    });
  await expect.poll(() => timers.length).toBe(1);
  // One time for both would say that they are of one browser.
  expect(named()).toEqual([["2"]]);
  expect(consent.isWithdrawing).toBe(true);
  expect(timers[0]?.delayMs).toBe(300_000);
  timers[0]?.run();
  await expect.poll(() => consent.isWithdrawing).toBe(false);
  expect(named()).toEqual([["2"], ["1"]]);
  const deleted = await forgetVisitor({ session, outbox, consent, uploader, receipts });
  expect(deleted.deletedTrajectories).toBe(2);
});

test("a page that opens in the pause between two ids goes on with it", async () => {
  const page = await rotatedPage();
  await page.uploader.flush();
  page.consent.withdraw();
  await expect.poll(() => page.timers.length).toBe(1);
  const withdrawals = () => page.edge.sent.filter(({ path }) => path.endsWith("/withdrawals"));
  page.time.now += 60_000;
  const next = await openPage(page);
  expect(next.timers.map(({ delayMs }) => delayMs)).toEqual([240_000]);
  expect(withdrawals()).toHaveLength(1);
  page.time.now += 240_000;
  await openPage(page);
  await expect.poll(withdrawals).toHaveLength(2);
  await expect.poll(() => next.consent.isWithdrawing).toBe(false);
});

/** Two open tabs whose visitor has sent one record under the id `v1`. */
async function twoTabs() {
  const first = await openPage();
  const before = first.consent.grant();
  const second = await openPage(first);
  await first.outbox.enqueue({ ...exampleTrajectory(1), consent: before });
  await first.uploader.flush();
  await second.uploader.flush();
  expect(second.session.visitorId).toBe(first.session.visitorId);
  first.time.now += 30 * DAY;
  return { first, second };
}

test("another open tab leaves the id with the tab that rotates, in the middle of its session", async () => {
  const { first, second } = await twoTabs();
  const known = first.edge.sent.length;
  // Its session would last for some more minutes.
  await second.session.refresh();
  expect(await first.rotate(30)).toBe(true);
  const agreed = second.consent.get();
  await second.outbox.enqueue({ ...exampleTrajectory(2), consent: agreed as Consent });
  expect(await second.uploader.flush()).toMatchObject({ sent: 1 });
  await first.uploader.flush();
  expect(first.session.visitorId).toMatch(/2$/);
  expect(second.session.visitorId).toBe(first.session.visitorId);
  const sent = first.edge.sent.slice(known).filter(({ path }) => path !== "/v1/sessions");
  expect(sent.map(({ path, visitor }) => `${visitor} ${path}`)).toEqual([
    "v2 /v1/consents",
    "v2 /v1/trajectories",
  ]);
});

test("tabs that open a session at the same time agree on one id", async () => {
  const { first, second } = await twoTabs();
  expect(await first.rotate(30)).toBe(true);
  await Promise.all([first.session.token(), second.session.token()]);
  expect(second.session.visitorId).toBe(first.session.visitorId);
  const used = first.edge.sent.filter(({ path }) => path !== "/v1/sessions");
  expect(new Set(used.map(({ visitor }) => visitor))).toEqual(new Set(["v1"]));
});

test("a withdrawal in a tab that has not heard of a rotation covers the new id as well", async () => {
  const { first, second } = await twoTabs();
  expect(await first.rotate(30)).toBe(true);
  await first.uploader.flush();
  second.consent.withdraw();
  await expect.poll(() => second.timers.length).toBe(1);
  second.timers[0]?.run();
  await expect.poll(() => second.consent.isWithdrawing).toBe(false);
  const withdrawn = first.edge.sent.filter(({ path }) => path.endsWith("/withdrawals"));
  const ids = withdrawn.map(({ body }) => /0000000000(\d\d)"/.exec(body)?.[1]);
  expect(ids).toEqual(["02", "01"]);
  await first.uploader.flush();
  expect(first.edge.sent.at(-1)).toBe(withdrawn.at(-1));
});
