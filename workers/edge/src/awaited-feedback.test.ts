/**
 * A site whose trainer learns from feedback: its live requests are leased once they have a thumb or an outcome that
 * teaches, and are old enough.
 */
import {
  DEFAULT_SITE,
  type Feedback,
  type LeasedGroup,
  type Outcome,
  type SiteMetrics,
} from "@waggle/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { unwrap } from "./answer.ts";
import { coordinatorOf } from "./coordinator.ts";
import {
  ask,
  asOperator,
  bindings,
  call,
  freshEdge,
  lease,
  makeUpload,
  openSession,
  type Upload,
  upload,
  work,
} from "./testing/edge.ts";
import { feedbackOn, giveAsPage } from "./testing/feedback.ts";
import { outcomeOf, reportAsPage, serverCredential } from "./testing/outcomes.ts";

const METRICS: SiteMetrics = {
  booked: { type: "boolean", better: "higher" },
  rating: { type: "number", better: "higher", range: [1, 5], weight: 0.5 },
  views: { type: "number", better: "higher", range: [0, 9], weight: 0 },
};
const WAIT_SECONDS = 1;
const LATER = (WAIT_SECONDS + 1) * 1000;

let baseModel = "";
let token = "";

beforeEach(async () => {
  Object.assign(bindings, {
    FEEDBACK_WAIT_SECONDS: String(WAIT_SECONDS),
    FEEDBACK_FROM: "thumb,outcome",
    METRICS: JSON.stringify(METRICS),
  });
  baseModel = await freshEdge();
  token = (await openSession()).token;
});
afterEach(() => {
  Object.assign(bindings, { FEEDBACK_WAIT_SECONDS: "0", FEEDBACK_FROM: "thumb", METRICS: "{}" });
});

async function liveRequest(as = token): Promise<Upload> {
  const request = await makeUpload(baseModel, null);
  await upload(as, request);
  return request;
}

async function give(
  kind: Feedback["kind"],
  { trajectory }: Upload,
  as = token,
  text?: string,
): Promise<Feedback> {
  const body = feedbackOn(trajectory, { kind, ...(text === undefined ? {} : { text }) });
  expect((await giveAsPage(as, body)).status).toBe(200);
  return body;
}

type Edit = Partial<Pick<Outcome, "metric" | "value" | "at">>;

async function report(by: "page" | "server", { trajectory }: Upload, edit: Edit = {}, as = token) {
  const outcome = outcomeOf(trajectory, edit);
  if (by === "page") return (await reportAsPage(as, outcome)).status;
  const server = await serverCredential(DEFAULT_SITE);
  await ask("POST", "/v1/outcomes", { ...server, body: { outcomes: [outcome] } });
  return 200;
}

const kindsOf = (groups: readonly LeasedGroup[]): { readonly [digest: string]: string[] } =>
  Object.fromEntries(
    groups.flatMap(({ trajectories }) =>
      trajectories.map(({ digest, feedback }) => [digest, feedback.map(({ kind }) => kind)]),
    ),
  );

const set = (settings: object) =>
  ask("PUT", "/v1/operator/sites/default", { ...asOperator, body: { settings } });

/** Digests that a trainer gets at this time, oldest first. The lease is given back. */
async function leasable(now: number): Promise<string[]> {
  const coordinator = coordinatorOf(bindings, DEFAULT_SITE);
  const request = { trainerId: "test", maxGroups: 10, durationSeconds: 60 };
  const granted = unwrap(await coordinator.lease(request, now));
  if (granted.leaseId === null) return [];
  unwrap(await coordinator.release(granted.leaseId, granted.fencingToken));
  return granted.groups.flatMap(({ rows }) => rows.map(({ digest }) => digest));
}

test("a request waits for a thumb, and with one until it is old enough", async () => {
  const before = Date.now();
  const request = await liveRequest();
  expect(await leasable(before + LATER)).toEqual([]);
  await give("thumb-up", request);
  expect(await leasable(before)).toEqual([]);
  expect(await leasable(Date.now() + LATER)).toEqual([request.digest]);
  // A lease that was given back does not make it wait again.
  expect(await leasable(Date.now() + LATER)).toEqual([request.digest]);
});

test("a thumb that comes first counts, and one that comes late is not lost", async () => {
  const [first, late] = [await makeUpload(baseModel, null), await liveRequest()];
  await give("thumb-down", first);
  await upload(token, first);
  expect(await leasable(Date.now() + LATER)).toEqual([first.digest]);
  await give("thumb-up", late);
  expect(await leasable(Date.now() + LATER)).toEqual([late.digest, first.digest]);
});

test("only the visitor's own thumb counts: no other feedback, no other visitor, no other request", async () => {
  const request = await liveRequest();
  const other = (await openSession()).token;
  await give("retry", request);
  await give("abandon", request);
  await give("thumb-up", request, other);
  await give("thumb-up", await makeUpload(baseModel, null));
  expect(await leasable(Date.now() + LATER)).toEqual([]);
});

test("a site that learns from messages waits for them, and its leases have them", async () => {
  const [thanked, rated] = [await liveRequest(), await liveRequest()];
  await give("next-thanks", thanked);
  await give("thumb-up", rated);
  expect(await leasable(Date.now() + LATER)).toEqual([rated.digest]);
  await set({ feedbackFrom: ["message"] });
  const [corrected, liked, tried] = [await liveRequest(), await liveRequest(), await liveRequest()];
  await give("next-corrects", corrected);
  await give("thumb-up", liked);
  await give("retry", tried);
  const expected = [rated.digest, corrected.digest, tried.digest];
  expect((await leasable(Date.now() + LATER)).toSorted()).toEqual(expected.toSorted());
  const leased: { [digest: string]: readonly string[] } = {};
  await expect
    .poll(async () => Object.assign(leased, kindsOf((await lease()).groups)), {
      timeout: 10_000,
      interval: 100,
    })
    .toEqual({
      [rated.digest]: ["thumb-up"],
      [corrected.digest]: ["next-corrects"],
      [tried.digest]: ["retry"],
    });
});

test("a trainer that does not learn from messages gets no kind that it may not know", async () => {
  const request = await liveRequest();
  await give("next-thanks", request);
  await give("retry", request);
  await give("thumb-up", request);
  await expect
    .poll(async () => kindsOf((await lease()).groups), { timeout: 10_000, interval: 100 })
    .toEqual({ [request.digest]: ["retry", "thumb-up"] });
});

test("the lease of a site that learns from edits and messages has their texts, and of no other", async () => {
  await set({ feedbackFrom: ["message", "edit"] });
  const [corrected, edited] = [await liveRequest(), await liveRequest()];
  const correction = await give("next-corrects", corrected, token, "no, the cheaper one");
  const edit = await give("edit", edited, token, "It costs 3.");
  const expected = [corrected.digest, edited.digest].toSorted();
  expect((await leasable(Date.now() + LATER)).toSorted()).toEqual(expected);
  const found: Feedback[] = [];
  await expect
    .poll(
      async () => {
        const { groups } = await lease();
        found.push(
          ...groups.flatMap(({ trajectories }) => trajectories.flatMap((t) => t.feedback)),
        );
        return found.toSorted((a, b) => a.kind.localeCompare(b.kind));
      },
      { timeout: 10_000, interval: 100 },
    )
    .toEqual([edit, correction]);
});

test("a trainer that does not learn from edits gets none, and edits make no request ready", async () => {
  const request = await liveRequest();
  await give("edit", request, token, "It costs 3.");
  expect(await leasable(Date.now() + LATER)).toEqual([]);
  await give("thumb-down", request);
  await expect
    .poll(async () => kindsOf((await lease()).groups), { timeout: 10_000, interval: 100 })
    .toEqual({ [request.digest]: ["thumb-down"] });
});

test("a site that learns from undone actions waits for them, and no other lease has them", async () => {
  const [undone, other] = [await liveRequest(), await liveRequest()];
  await give("undo", undone);
  await give("undo", other);
  await give("thumb-up", other);
  expect(await leasable(Date.now() + LATER)).toEqual([other.digest]);
  const poll = { timeout: 10_000, interval: 100 };
  await expect
    .poll(async () => kindsOf((await lease()).groups), poll)
    .toEqual({ [other.digest]: ["thumb-up"] });
  await set({ feedbackFrom: ["undo"] });
  const late = await liveRequest();
  await give("undo", late);
  await expect
    .poll(async () => kindsOf((await lease()).groups), poll)
    .toEqual({ [late.digest]: ["undo"] });
});

test("a site with a judge waits for messages that only a judge can read, and no other lease has them", async () => {
  const [unread, thanked] = [await liveRequest(), await liveRequest()];
  await give("next-message", unread, token, "and for three?");
  await give("next-thanks", thanked, token, "thanks!");
  await give("thumb-up", thanked);
  expect(await leasable(Date.now() + LATER)).toEqual([thanked.digest]);
  await set({ feedbackFrom: ["message"] });
  const other = await liveRequest();
  await give("next-thanks", other, token, "great");
  const texts = async () => {
    const { groups } = await lease();
    const all = groups.flatMap(({ trajectories }) => trajectories.flatMap((t) => t.feedback));
    return all.map(({ kind, text = null }) => [kind, text]);
  };
  const found: unknown[] = [];
  await expect
    .poll(async () => found.push(...(await texts())), { timeout: 10_000, interval: 100 })
    .toBeGreaterThan(2);
  // Without a judge, a trainer of the previous release gets neither the kind nor the text.
  expect(found).toEqual([
    ["next-thanks", null],
    ["thumb-up", null],
    ["next-thanks", null],
  ]);
  await set({ feedbackFrom: ["message", "judge"] });
  const late = await liveRequest();
  await give("next-message", late, token, "and a taxi");
  const judged: unknown[] = [];
  await expect
    .poll(async () => judged.push(...(await texts())), { timeout: 10_000, interval: 100 })
    .toBeGreaterThan(0);
  expect(judged).toEqual([["next-message", "and a taxi"]]);
});

test("a text is kept as it was sent, given back to its visitor, and refused where it says nothing", async () => {
  const request = await liveRequest();
  const sent = await give("next-contradicts", request, token, "that is wrong");
  await ask("POST", "/v1/feedback", { token, body: sent });
  const other = { ...sent, text: "something else" };
  expect((await call("POST", "/v1/feedback", { token, body: other })).status).toBe(409);
  for (const body of [
    { ...sent, id: crypto.randomUUID(), kind: "thumb-up" },
    { ...sent, id: crypto.randomUUID(), text: "" },
    { ...sent, id: crypto.randomUUID(), text: "x".repeat(2001) },
    { id: crypto.randomUUID(), trajectoryId: sent.trajectoryId, kind: "edit", at: sent.at },
  ]) {
    expect((await call("POST", "/v1/feedback", { token, body })).status).toBe(400);
  }
});

test("assigned tasks do not wait for thumbs", async () => {
  const { digest } = await work(token, baseModel);
  await liveRequest();
  expect(await leasable(Date.now() + 300_000)).toEqual([digest]);
});

test("the lease has the thumb, and a request without one is deleted with its visitor", async () => {
  const request = await liveRequest();
  const thumb = await give("thumb-down", request);
  await expect
    .poll(async () => (await lease()).groups, { timeout: 10_000, interval: 100 })
    .toMatchObject([{ task: null, trajectories: [{ digest: request.digest, feedback: [thumb] }] }]);
  await liveRequest();
  const deleted = await ask("DELETE", "/v1/visitor", { token });
  expect(deleted).toMatchObject({ deletedTrajectories: 2, deletedFeedback: 1 });
});

test.each(["page", "server"] as const)(
  "an outcome from the %s makes a request ready, before and after the trajectory arrives",
  async (by) => {
    const before = Date.now();
    const [first, late, silent] = [
      await makeUpload(baseModel, null),
      await liveRequest(),
      await liveRequest(),
    ];
    await report(by, first);
    await upload(token, first);
    expect(await leasable(Date.now() + LATER)).toEqual([first.digest]);
    expect(await leasable(before)).toEqual([]);
    await report(by, late, { metric: "rating", value: 2 });
    const all = await leasable(Date.now() + LATER);
    expect(all.toSorted()).toEqual([first.digest, late.digest].toSorted());
    expect(all).not.toContain(silent.digest);
  },
);

test("an outcome that cannot teach makes no request ready: no weight, no such metric, not the visitor's own", async () => {
  const [early, request] = [await makeUpload(baseModel, null), await liveRequest()];
  const stranger = (await openSession()).token;
  for (const one of [early, request]) {
    for (const by of ["page", "server"] as const) {
      expect(await report(by, one, { metric: "views", value: 3 })).toBe(200);
    }
    expect(await report("page", one, {}, stranger)).toBe(200);
  }
  expect(await report("page", request, { metric: "sales", value: 3 })).toBe(400);
  await upload(token, early);
  expect(await leasable(Date.now() + LATER)).toEqual([]);
  // A metric that is no longer declared does not teach either.
  await set({ metrics: { views: METRICS["views"] } });
  const removed = await makeUpload(baseModel, null);
  await bindings.DB.prepare(
    `INSERT INTO outcomes (site, id, trajectoryId, metric, sender, type, value, occurredAt, receivedAt)
     VALUES (?1, 'o', ?2, 'booked', '', 'boolean', 1, 0, 0)`,
  )
    .bind(DEFAULT_SITE, removed.trajectory.id)
    .run();
  await upload(token, removed);
  expect(await leasable(Date.now() + LATER)).toEqual([]);
});

test("a lease has the outcomes beside the feedback, with their changed values, once", async () => {
  const request = await liveRequest();
  await report("page", request, { value: false });
  await report("page", request, { value: true, at: "2026-11-20T12:00:01.000Z" });
  await report("server", request, { metric: "rating", value: 4 });
  await report("server", request, { metric: "views", value: 7 });
  await expect
    .poll(async () => (await lease()).groups, { timeout: 10_000, interval: 100 })
    .toMatchObject([
      {
        trajectories: [
          {
            digest: request.digest,
            feedback: [],
            outcomes: [
              { metric: "booked", value: true, source: "page", declared: METRICS["booked"] },
              { metric: "rating", value: 4, source: "server", declared: METRICS["rating"] },
              { metric: "views", value: 7, source: "server", declared: METRICS["views"] },
            ],
          },
        ],
      },
    ]);
  // A value that comes while the request is leased does not make it ready a second time.
  await report("server", request, { metric: "rating", value: 1, at: "2026-11-21T12:00:00.000Z" });
  expect(await leasable(Date.now() + LATER)).toEqual([]);
});

test("outcomes of a metric whose type has changed are not leased", async () => {
  const request = await liveRequest();
  await report("page", request);
  await give("thumb-up", request);
  await set({ metrics: { booked: { type: "number", better: "higher", range: [0, 9] } } });
  await expect
    .poll(async () => (await lease()).groups, { timeout: 10_000, interval: 100 })
    .toMatchObject([{ trajectories: [{ digest: request.digest, outcomes: [] }] }]);
});

test("feedback over the limit of a visitor is refused for good, so that pages do not send it again", async () => {
  const session = await openSession();
  await bindings.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
     INSERT INTO feedback (site, id, trajectoryId, visitorId, kind, at, receivedAt)
     SELECT ?1, 'f' || i, 't' || i, ?2, 'retry', '', 0 FROM n`,
  )
    .bind(DEFAULT_SITE, session.visitorId)
    .run();
  const { trajectory } = await makeUpload(baseModel, null);
  const refused = await giveAsPage(session.token, feedbackOn(trajectory));
  expect(refused).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
});
