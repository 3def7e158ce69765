/** Signals that an operator stops and starts, and the trajectories that a trainer skips meanwhile. */
import { type AuditResponse, type ControlState, SIGNAL_STOPPED } from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import {
  ask,
  asOperator,
  asTrainer,
  bindings,
  call,
  freshEdge,
  lease,
  openSession,
  type Upload,
  work,
} from "../testing/edge.ts";

let baseModel = "";
let token = "";

const set = (settings: object) =>
  ask("PUT", "/v1/operator/sites/default", { ...asOperator, body: { settings } });

beforeEach(async () => {
  baseModel = await freshEdge();
  await set({ groupSize: 1, groupDeadlineSeconds: 1 });
  token = (await openSession()).token;
});

const path = (signal: string) => `/v1/operator/stopped-signals/${signal}`;
const stop = (signal: string, reason = "") =>
  ask<ControlState>("PUT", path(signal), { ...asOperator, body: { reason } });
const start = (signal: string) => ask<ControlState>("DELETE", path(signal), asOperator);
const stoppedIn = ({ signals = [] }: ControlState) =>
  signals.filter(({ stopped }) => stopped !== null).map(({ signal }) => signal);
const forTrainer = () => ask<ControlState>("GET", "/v1/trainer/control", asTrainer);

/** Leases everything and skips it because its signal is stopped. @param between - runs while it is leased */
async function skipAll(between: () => Promise<unknown> = async () => undefined): Promise<void> {
  const { leaseId, fencingToken, groups } = await lease();
  await between();
  const outcomes = groups.flatMap(({ trajectories }) =>
    trajectories.map(({ digest }) => ({ digest, status: "skipped", reason: SIGNAL_STOPPED })),
  );
  await ask("POST", `/v1/trainer/leases/${leaseId}/acknowledge`, {
    ...asTrainer,
    body: { fencingToken, outcomes },
  });
}

const leased = async () =>
  (await lease()).groups.flatMap(({ trajectories }) => trajectories.map(({ digest }) => digest));

async function statusOf({ digest }: Upload) {
  const row = await bindings.DB.prepare("SELECT status, reason FROM trajectories WHERE digest = ?1")
    .bind(digest)
    .first<{ status: string; reason: string | null }>();
  return [row?.status, row?.reason];
}

test("a trainer sees which signals are stopped, and the audit log says by whom", async () => {
  expect(stoppedIn(await forTrainer())).toEqual([]);
  expect((await forTrainer()).signals?.map(({ signal }) => signal)).toEqual(["verifier"]);
  expect(stoppedIn(await stop("verifier", "cheated"))).toEqual(["verifier"]);
  // Repeating it changes nothing.
  await stop("verifier", "again");
  expect((await forTrainer()).signals).toMatchObject([
    { signal: "verifier", stopped: { by: "operator", reason: "cheated" } },
  ]);
  expect(stoppedIn(await start("verifier"))).toEqual([]);
  await start("verifier");
  const { entries } = await ask<AuditResponse>("GET", "/v1/operator/audit", asOperator);
  const switched = entries.filter(({ action }) => action.endsWith("-signal"));
  expect(switched.map(({ action, reason }) => [action, reason])).toEqual([
    ["start-signal", "verifier"],
    ["stop-signal", "verifier: cheated"],
  ]);
});

test("a site that learns from feedback has those signals, and a stopped one stays listed", async () => {
  const booked = { type: "boolean", better: "higher" };
  const views = { type: "number", better: "higher", range: [0, 9], weight: 0 };
  await set({
    feedbackWaitSeconds: 60,
    feedbackFrom: ["thumb", "outcome", "message", "undo", "edit", "staff"],
    metrics: { booked, views },
  });
  const names = async () => (await forTrainer()).signals?.map(({ signal }) => signal);
  expect(await names()).toEqual([
    "verifier",
    "thumb",
    "outcome:booked",
    "message:next-thanks",
    "message:next-repeats",
    "message:next-corrects",
    "message:next-contradicts",
    "message:retry",
    "correction",
    "undo",
    "edit",
    "staff",
  ]);
  await stop(encodeURIComponent("outcome:booked"));
  await set({ feedbackWaitSeconds: null, feedbackFrom: null, metrics: null });
  expect(await names()).toEqual(["verifier", "outcome:booked"]);
});

test("a signal that the site does not have is refused, and so is a trainer", async () => {
  for (const signal of ["thumb", "outcome:booked", "x", "a'b"]) {
    const reply = await call("PUT", path(encodeURIComponent(signal)), {
      ...asOperator,
      body: { reason: "" },
    });
    expect(reply).toMatchObject({ status: 404, body: { error: { code: "NOT_FOUND" } } });
  }
  const asked = await call("PUT", path("verifier"), { ...asTrainer, body: { reason: "" } });
  expect(asked.status).toBeGreaterThanOrEqual(401);
  expect(stoppedIn(await forTrainer())).toEqual([]);
});

test("skipped trajectories stay stored, and are leased again once the signal is started", async () => {
  const [first, second] = [await work(token, baseModel), await work(token, baseModel)];
  await stop("verifier");
  await skipAll();
  expect(await statusOf(first)).toEqual(["skipped", SIGNAL_STOPPED]);
  expect(await leased()).toEqual([]);
  // What was skipped for another reason stays skipped.
  await bindings.DB.prepare("UPDATE trajectories SET reason = 'stale' WHERE digest = ?1")
    .bind(second.digest)
    .run();
  await start("verifier");
  await expect.poll(leased, { timeout: 30_000 }).toEqual([first.digest]);
  expect(await statusOf(second)).toEqual(["skipped", "stale"]);
});

test("a skip by a trainer that does not know yet that the signal was started is undone", async () => {
  const upload = await work(token, baseModel);
  await stop("verifier");
  await skipAll(() => start("verifier"));
  expect(await statusOf(upload)).toEqual(["ready", null]);
  expect(await leased()).toEqual([upload.digest]);
});
