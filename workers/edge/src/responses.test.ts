/** Which requests get feedback: counts by signal for the operator, and by kind of request for the trainer. */
import { applyD1Migrations, reset } from "cloudflare:test";
import {
  type Feedback,
  type LeasedTrajectory,
  type OperatorSummary,
  seededRandom,
  type Trajectory,
} from "@waggle/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sampleSize } from "../../../test/fixtures/long.ts";
import {
  ask,
  asOperator,
  bindings,
  freshEdge,
  lease,
  makeUpload,
  openSession,
  type Upload,
  upload,
} from "./testing/edge.ts";
import { feedbackOn, giveAsPage } from "./testing/feedback.ts";
import { outcomeOf, reportAsPage } from "./testing/outcomes.ts";

beforeEach(() => {
  Object.assign(bindings, {
    FEEDBACK_WAIT_SECONDS: "1",
    FEEDBACK_FROM: "thumb,outcome",
    METRICS: JSON.stringify({ booked: { type: "boolean", better: "higher" } }),
  });
});
afterEach(() => {
  Object.assign(bindings, { FEEDBACK_WAIT_SECONDS: "0", FEEDBACK_FROM: "thumb", METRICS: "{}" });
});

const give = async (token: string, kind: Feedback["kind"], { trajectory }: Upload) => {
  expect((await giveAsPage(token, feedbackOn(trajectory, { kind }))).status).toBe(200);
};
const responses = async () =>
  (await ask<OperatorSummary>("GET", "/v1/operator/summary", asOperator)).responses;

async function request(
  token: string,
  base: string,
  edit: Partial<Trajectory> = {},
): Promise<Upload> {
  const one = await makeUpload(base, null, edit);
  await upload(token, one);
  return one;
}

/** Polls until a lease has `count` trajectories in all. */
async function leased(count: number): Promise<LeasedTrajectory[]> {
  const found: LeasedTrajectory[] = [];
  await expect
    .poll(
      async () => {
        const { groups } = await lease();
        found.push(...groups.flatMap(({ trajectories }) => trajectories));
        return found.length;
      },
      { timeout: 15_000, interval: 100 },
    )
    .toBe(count);
  return found;
}

test("a request counts once for each signal, and the visitor's earlier feedback is what tells it apart", async () => {
  const base = await freshEdge();
  const [talker, silent] = [(await openSession()).token, (await openSession()).token];
  const first = await request(talker, base);
  await give(talker, "thumb-down", first);
  await give(talker, "thumb-up", first);
  await give(talker, "retry", first);
  await request(silent, base);
  await leased(1);
  // Both visitors have a history now.
  const second = await request(talker, base);
  await request(silent, base);
  await reportAsPage(talker, outcomeOf(second.trajectory));
  const [rated] = await leased(1);
  const { backend } = second.trajectory.client;
  expect(await responses()).toEqual({
    requests: 4,
    bySignal: [
      { signal: "message", requests: 1 },
      { signal: "outcome:booked", requests: 1 },
      { signal: "thumb", requests: 1 },
    ],
    byStratum: [
      { stratum: `answered ${backend}`, requests: 1, answered: 1 },
      { stratum: `new ${backend}`, requests: 2, answered: 1 },
      { stratum: `silent ${backend}`, requests: 1, answered: 0 },
    ],
  });
  expect(rated?.digest).toBe(second.digest);
  expect(rated?.response).toEqual({ requests: 1, answered: 1, allRequests: 4, allAnswered: 2 });
  await ask("DELETE", "/v1/visitor", { token: talker });
  expect(await responses()).toEqual({
    requests: 2,
    bySignal: [],
    byStratum: [
      { stratum: `new ${backend}`, requests: 1, answered: 0 },
      { stratum: `silent ${backend}`, requests: 1, answered: 0 },
    ],
  });
});

test("a request whose visitor allows no feedback is not among those that may get some", async () => {
  const base = await freshEdge();
  const { token } = await openSession();
  const grantedAt = "2026-11-20T12:00:00.000Z";
  const scopes = ["collect", "train"] as const;
  const consent = { version: "1", scopes: [...scopes], choices: true, grantedAt } as const;
  await request(token, base, { consent });
  const open = await request(token, base, {
    consent: { ...consent, scopes: [...scopes, "feedback"] },
  });
  await give(token, "thumb-up", open);
  await leased(1);
  const { backend } = open.trajectory.client;
  expect((await responses())?.byStratum).toEqual([
    { stratum: `new ${backend}`, requests: 1, answered: 1 },
  ]);
});

const { DB, MIGRATIONS } = bindings;
const run = (sql: string, ...values: unknown[]) =>
  DB.prepare(sql)
    .bind(...values)
    .run();
const addTrajectory = (id: string, visitor: string, assignment: string | null) =>
  run(
    `INSERT INTO trajectories (site, digest, id, visitorId, assignmentId, policyVersion, tokens, stopReason,
       objectKey, sizeBytes, receivedAt, status) VALUES ('desk', ?1, ?1, ?2, ?3, 0, 2, 'completed', 'k', 9, 1, 'stored')`,
    id,
    visitor,
    assignment,
  );
const addFeedback = (trajectory: string, visitor: string, kind: string) =>
  run(
    `INSERT INTO feedback (site, id, trajectoryId, visitorId, kind, at, receivedAt)
     VALUES ('desk', ?1, ?2, ?3, ?4, 'at', 1)`,
    crypto.randomUUID(),
    trajectory,
    visitor,
    kind,
  );
const tallied = async () =>
  (
    await DB.prepare(
      `SELECT key, count FROM tallies WHERE site = 'desk' AND name = 'heard' AND count > 0 ORDER BY key`,
    ).all()
  ).results;
const counted = async () =>
  (
    await DB.prepare(
      `SELECT CASE WHEN kind LIKE 'thumb-%' THEN 'thumb' WHEN kind IN ('edit', 'abandon', 'undo') THEN kind ELSE 'message' END AS key,
         COUNT(DISTINCT t.id) AS count
       FROM feedback f JOIN trajectories t ON t.id = f.trajectoryId AND t.visitorId = f.visitorId
       WHERE t.assignmentId IS NULL GROUP BY 1 ORDER BY key`,
    ).all()
  ).results;

test.for([1, 2, 3].slice(0, sampleSize(1, 3)))(
  "counts of requests with feedback equal the rows after a random order of changes (seed %i)",
  async (seed) => {
    await reset();
    await applyD1Migrations(DB, MIGRATIONS);
    const random = seededRandom(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const ids = ["t0", "t1", "t2", "t3"];
    const visitors = ["v0", "v1"];
    const seen = new Set<string>();
    for (let step = 0; step < 400; step += 1) {
      const id = pick(ids);
      const isStored = await DB.prepare("SELECT 1 FROM trajectories WHERE id = ?1")
        .bind(id)
        .first();
      const act = random();
      if (act < 0.25 && isStored === null) {
        await addTrajectory(id, `v${Number(id[1]) % 2}`, id === "t3" ? "a3" : null);
      } else if (act < 0.32) await run("DELETE FROM trajectories WHERE id = ?1", id);
      else if (act < 0.4) await run("DELETE FROM feedback WHERE trajectoryId = ?1", id);
      else {
        const kind = pick([
          "thumb-up",
          "thumb-down",
          "retry",
          "next-thanks",
          "edit",
          "abandon",
          "undo",
        ]);
        await addFeedback(id, pick(visitors), kind);
      }
      const counts = await counted();
      expect(await tallied()).toEqual(counts);
      for (const { key } of counts) seen.add(String(key));
    }
    // The control: every signal was there at some time.
    expect([...seen].toSorted()).toEqual(["abandon", "edit", "message", "thumb", "undo"]);
  },
);

test("an installation of the previous release keeps its outcomes, and its feedback is counted", async () => {
  await reset();
  await applyD1Migrations(
    DB,
    MIGRATIONS.filter(({ name }) => name < "0022"),
  );
  for (const [id, visitor] of [
    ["t0", "v0"],
    ["t1", "v1"],
  ] as const) {
    await addTrajectory(id, visitor, null);
    await addFeedback(id, visitor, "thumb-up");
    await addFeedback(id, visitor, "thumb-down");
  }
  await run(
    `INSERT INTO outcomes (site, id, trajectoryId, metric, sender, visitorId, type, value, occurredAt, receivedAt)
     VALUES ('desk', 'o', 't0', 'booked', '', 'v0', 'boolean', 1, 5, 6)`,
  );
  const sums = () => DB.prepare("SELECT * FROM outcomeTallies").all();
  const before = (await sums()).results;
  await applyD1Migrations(DB, MIGRATIONS);
  expect((await sums()).results).toEqual(before);
  expect(await DB.prepare("SELECT * FROM outcomes").first()).toEqual({
    site: "desk",
    id: "o",
    trajectoryId: "t0",
    metric: "booked",
    sender: "",
    visitorId: "v0",
    type: "boolean",
    value: 1,
    occurredAt: 5,
    receivedAt: 6,
    turn: 0,
  });
  expect(await tallied()).toEqual([
    { key: "outcome:booked", count: 1 },
    { key: "thumb", count: 2 },
  ]);
  await run("DELETE FROM trajectories WHERE id = 't0'");
  expect(await tallied()).toEqual([{ key: "thumb", count: 1 }]);
});
