import type { AssignmentResponse, OutcomesResponse } from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import { ask, bindings, freshEdge, makeUpload, upload } from "../testing/edge.ts";
import {
  makeReportingSite,
  outcomeOf,
  reportAsPage,
  reportAsServer,
  type ReportingSite,
  shownOutcomes,
} from "../testing/outcomes.ts";
import { openSite, registerBase } from "../testing/sites.ts";

const START = Date.parse("2026-11-20T00:00:00.000Z");
let desk: ReportingSite;
let base = "";

beforeEach(async () => {
  await freshEdge();
  desk = await makeReportingSite("desk");
  base = await registerBase(desk);
});

/** A time of day. */
const at = (hour: number): string => new Date(START + hour * 3_600_000).toISOString();

/** Requests of one visitor that the edge received at these hours. */
async function askedAt(...hours: readonly number[]) {
  const { token } = await openSite(desk);
  const requests = [];
  for (const hour of hours) {
    const request = await makeUpload(base, null);
    await upload(token, request);
    await receivedAt(request, hour);
    requests.push(request);
  }
  return { token, requests };
}

const receivedAt = ({ digest }: { digest: string }, hour: number) =>
  bindings.DB.prepare("UPDATE trajectories SET receivedAt = ?2 WHERE digest = ?1")
    .bind(digest, Date.parse(at(hour)))
    .run();

const ofVisitor = { joinBy: "visitor" };

test("an outcome of a visitor is about their newest request at its time, whichever request it names", async () => {
  const { token, requests } = await askedAt(1, 3, 5);
  const [first, second, third] = requests;
  await askedAt(4); // another visitor
  const values = async () =>
    Promise.all(
      requests.map(async ({ digest }) => (await shownOutcomes(desk, digest)).map(({ id }) => id)),
    );
  const early = outcomeOf(third!.trajectory, { ...ofVisitor, at: at(4.5) });
  const late = outcomeOf(first!.trajectory, { ...ofVisitor, at: at(20) });
  expect(await reportAsServer(desk, early, late)).toEqual(["stored", "stored"]);
  expect(await values()).toEqual([[], [early.id], [late.id]]);
  // The same outcomes again change nothing, although the visitor has asked again since.
  const later = await makeUpload(base, null);
  await upload(token, later);
  await receivedAt(later, 30);
  expect(await reportAsServer(desk, early, late)).toEqual(["duplicate", "duplicate"]);
  // The control: without the field each is about the request that it names.
  const named = outcomeOf(second!.trajectory, { metric: "rating", value: 2, at: at(20) });
  expect(await reportAsServer(desk, named)).toEqual(["stored"]);
  expect(await values()).toEqual([[], [early.id, named.id], [late.id]]);
});

test("before the visitor's first request, and while the named one has not arrived, it is about the named one", async () => {
  const { token, requests } = await askedAt(3);
  const [only] = requests;
  const before = outcomeOf(only!.trajectory, { ...ofVisitor, at: at(2) });
  const unknown = await makeUpload(base, null);
  const waiting = outcomeOf(unknown.trajectory, { ...ofVisitor, at: at(4) });
  expect(await reportAsServer(desk, before, waiting)).toEqual(["stored", "stored"]);
  expect(await shownOutcomes(desk, only!.digest)).toMatchObject([{ id: before.id }]);
  await upload(token, unknown);
  expect(await shownOutcomes(desk, unknown.digest)).toMatchObject([{ id: waiting.id }]);
});

test("practice is neither named nor found, and another site's request names no visitor of this one", async () => {
  const { token, requests } = await askedAt(1);
  const [request] = requests;
  const assignment = await ask<AssignmentResponse>("POST", "/v1/assignments", {
    token,
    body: { environment: "shop" },
  });
  const practice = await makeUpload(base, assignment);
  await upload(token, practice);
  await receivedAt(practice, 2);
  const other = await makeReportingSite("other");
  const sent = [
    outcomeOf(request!.trajectory, { ...ofVisitor, at: at(9) }),
    outcomeOf(practice.trajectory, { ...ofVisitor, at: at(9) }),
  ];
  expect(await reportAsServer(desk, ...sent)).toEqual(["stored", "stored"]);
  expect(await shownOutcomes(desk, practice.digest)).toEqual([]);
  const elsewhere = outcomeOf(request!.trajectory, { ...ofVisitor, at: at(9) });
  expect(await reportAsServer(other, elsewhere)).toEqual(["stored"]);
  expect(await shownOutcomes(desk, request!.digest)).toMatchObject([{ id: sent[0]!.id }]);
});

test("only the server joins by visitor, and not for one turn or with earlier requests", async () => {
  const { token, requests } = await askedAt(1);
  const { trajectory } = requests[0]!;
  const reply = await reportAsPage(token, outcomeOf(trajectory, ofVisitor));
  expect(reply).toMatchObject({ status: 400, body: { error: { code: "INVALID_ARGUMENT" } } });
  const body = {
    outcomes: [
      outcomeOf(trajectory, { ...ofVisitor, turn: 1 }),
      outcomeOf(trajectory, { ...ofVisitor, conversation: [crypto.randomUUID()] }),
      outcomeOf(trajectory, { joinBy: "session" }),
      outcomeOf(trajectory, { joinBy: "trajectory" }),
    ],
  };
  const { results } = await ask<OutcomesResponse>("POST", "/v1/outcomes", { ...desk.server, body });
  expect(results).toMatchObject([
    { code: "INVALID_ARGUMENT", message: expect.stringContaining("leave joinBy out") },
    { code: "INVALID_ARGUMENT" },
    { code: "SCHEMA_INVALID", message: expect.stringContaining("joinBy") },
    { status: "stored" },
  ]);
});
