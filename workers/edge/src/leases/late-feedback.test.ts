/** Feedback on requests that a trainer has learned from: it is leased once, and nothing of before with it. */
import {
  DEFAULT_SITE,
  type Feedback,
  type LeaseResponse,
  type SiteMetrics,
  type TrajectoryDetail,
} from "@waggle/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  agree,
  ask,
  asOperator,
  asTrainer,
  bindings,
  freshEdge,
  makeUpload,
  openSession,
  type Upload,
  upload,
} from "../testing/edge.ts";
import { feedbackOn, giveAsPage } from "../testing/feedback.ts";
import { nextLease, nothingToLease } from "../testing/leases.ts";
import { outcomeOf, serverCredential } from "../testing/outcomes.ts";

const METRICS: SiteMetrics = {
  booked: { type: "boolean", better: "higher" },
  rating: { type: "number", better: "higher", range: [1, 5] },
  views: { type: "number", better: "higher", range: [0, 9], weight: 0 },
};

let token = "";
let baseModel = "";

beforeEach(async () => {
  Object.assign(bindings, {
    FEEDBACK_WAIT_SECONDS: "1",
    FEEDBACK_FROM: "thumb,outcome",
    METRICS: JSON.stringify(METRICS),
  });
  baseModel = await freshEdge();
  const settings = { groupSize: 1, groupDeadlineSeconds: 1 };
  await ask("PUT", "/v1/operator/sites/default", { ...asOperator, body: { settings } });
  ({ token } = await openSession());
});
afterEach(() => {
  Object.assign(bindings, { FEEDBACK_WAIT_SECONDS: "0", FEEDBACK_FROM: "thumb", METRICS: "{}" });
});

async function liveRequest(): Promise<Upload> {
  const request = await makeUpload(baseModel, null);
  await upload(token, request);
  return request;
}

async function give({ trajectory }: Upload, kind: Feedback["kind"] = "thumb-up"): Promise<void> {
  expect((await giveAsPage(token, feedbackOn(trajectory, { kind }))).status).toBe(200);
}

async function report({ trajectory }: Upload, edit: Parameters<typeof outcomeOf>[1] = {}) {
  const outcome = outcomeOf(trajectory, edit);
  const server = await serverCredential(DEFAULT_SITE);
  await ask("POST", "/v1/outcomes", { ...server, body: { outcomes: [outcome] } });
  return outcome;
}

/** The kinds of feedback and the names of outcomes that the only trajectory of a lease has. */
function signalsIn({ groups }: LeaseResponse): readonly string[] {
  const [{ feedback, outcomes }] = groups.flatMap(({ trajectories }) => trajectories) as [
    LeaseResponse["groups"][number]["trajectories"][number],
  ];
  return [...feedback.map(({ kind }) => kind), ...(outcomes ?? []).map(({ metric }) => metric)];
}

async function learn({ leaseId, fencingToken, groups }: LeaseResponse, step: number) {
  const digests = groups.flatMap(({ trajectories }) => trajectories.map(({ digest }) => digest));
  const outcomes = digests.map((digest) => ({ digest, status: "learned", step }));
  const body = { fencingToken, outcomes };
  return ask("POST", `/v1/trainer/leases/${leaseId}/acknowledge`, { ...asTrainer, body });
}

/** A request that the trainer has learned from, by a thumb up. */
async function learnedRequest(): Promise<Upload> {
  const request = await liveRequest();
  await give(request);
  const first = await nextLease();
  expect(signalsIn(first)).toEqual(["thumb-up"]);
  expect(await learn(first, 3)).toEqual({ acknowledged: 1, twice: 0 });
  return request;
}

test("an outcome that comes after a request was learned is leased once, without the thumb of before", async () => {
  const request = await learnedRequest();
  await report(request);
  const second = await nextLease();
  expect(signalsIn(second)).toEqual(["booked"]);
  expect(await learn(second, 9)).toEqual({ acknowledged: 1, twice: 0 });
  expect(await nothingToLease()).toBe(true);
  const path = `/v1/operator/trajectories/${request.digest}`;
  const { row } = await ask<TrajectoryDetail>("GET", path, asOperator);
  // The step that learned from it first stays noted.
  expect(row).toMatchObject({ status: "learned", learnedAtStep: 3 });
});

test("feedback that comes while the trainer holds a request goes with the next lease alone", async () => {
  const request = await liveRequest();
  await give(request);
  const first = await nextLease();
  await report(request);
  await learn(first, 3);
  const second = await nextLease();
  expect(signalsIn(second)).toEqual(["booked"]);
  await learn(second, 4);
  expect(await nothingToLease()).toBe(true);
});

test("feedback is late by the order in which it is stored, not by the clock of the machine that stores it", async () => {
  const request = await learnedRequest();
  // The machine that leased it was an hour ahead.
  await bindings.DB.prepare(
    "UPDATE trajectories SET offeredAt = offeredAt + 3600000, taughtAt = taughtAt + 3600000",
  ).run();
  await report(request);
  expect(signalsIn(await nextLease())).toEqual(["booked"]);
});

test("late feedback of a lease that was given back is in the next one too", async () => {
  const request = await learnedRequest();
  await report(request);
  const { leaseId, fencingToken } = await nextLease();
  const body = { fencingToken };
  await ask("POST", `/v1/trainer/leases/${leaseId}/release`, { ...asTrainer, body });
  await report(request, { metric: "rating", value: 4 });
  expect(signalsIn(await nextLease())).toEqual(["booked", "rating"]);
});

test("feedback that teaches nothing, or is sent again, does not lease a request again", async () => {
  const request = await learnedRequest();
  await report(request, { metric: "views", value: 3 });
  await give(request, "retry");
  const outcome = await report(request);
  await learn(await nextLease(), 4);
  await report(request, outcome);
  expect(await nothingToLease()).toBe(true);
});

test("a visitor who changes feedback for ever teaches four times at most", async () => {
  const request = await learnedRequest();
  for (const [index, kind] of (["thumb-down", "thumb-up", "thumb-down"] as const).entries()) {
    await give(request, kind);
    const lease = await nextLease();
    expect(signalsIn(lease)).toEqual([kind]);
    await learn(lease, 4 + index);
  }
  await give(request);
  expect(await nothingToLease()).toBe(true);
});

test("late feedback on a request whose consent was withdrawn does not lease it again; it stays learned", async () => {
  const request = await learnedRequest();
  ({ token } = await openSession());
  const other = await learnedRequest();
  const receipts = [await agree(token, other.trajectory.consent)];
  await ask("POST", "/v1/consents/withdrawals", { token, body: { receipts } });
  await report(other);
  await report(request);
  const { groups } = await nextLease();
  const digests = groups.flatMap(({ trajectories }) => trajectories.map(({ digest }) => digest));
  expect(digests).toEqual([request.digest]);
  expect(await nothingToLease()).toBe(true);
  const path = `/v1/operator/trajectories/${other.digest}`;
  const { row, consentEnded } = await ask<TrajectoryDetail>("GET", path, asOperator);
  expect(row).toMatchObject({ status: "learned", reason: null });
  expect(consentEnded).toBe("consent-withdrawn");
});

test("what an earlier release learned from is not leased again", async () => {
  const request = await learnedRequest();
  await bindings.DB.prepare("UPDATE trajectories SET taughtAt = NULL").run();
  await report(request);
  expect(await nothingToLease()).toBe(true);
});
