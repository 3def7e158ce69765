/** The counts of outcomes are kept by triggers. They must equal the rows after any order of changes. */
import { applyD1Migrations, reset } from "cloudflare:test";
import { seededRandom } from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import { sampleSize } from "../../../../test/fixtures/long.ts";
import { bindings } from "../testing/edge.ts";

const { DB, MIGRATIONS } = bindings;

beforeEach(() => reset());

const run = (sql: string, ...values: unknown[]) =>
  DB.prepare(sql)
    .bind(...values)
    .run();

const insertTrajectory = (id: string, visitor: string, assignment: string | null) =>
  run(
    `INSERT INTO trajectories (site, digest, id, visitorId, assignmentId, policyVersion, tokens, stopReason,
       objectKey, sizeBytes, receivedAt, status) VALUES ('desk', ?1, ?1, ?2, ?3, 0, 2, 'completed', 'k', 9, 1, 'stored')`,
    id,
    visitor,
    assignment,
  );

/** As `storeOutcomes` writes one. */
const report = (trajectory: string, metric: string, sender: string, value: number, at: number) =>
  run(
    `INSERT INTO outcomes (site, id, trajectoryId, metric, sender, visitorId, type, value, occurredAt, receivedAt)
     SELECT 'desk', ?1, ?2, ?3, ?4,
       (SELECT visitorId FROM trajectories
        WHERE id = ?2 AND site = 'desk' AND assignmentId IS NULL AND ?4 IN ('', visitorId)),
       'number', ?5, ?6, ?6 WHERE true
     ON CONFLICT (trajectoryId, metric, sender, turn, site) DO UPDATE SET value = excluded.value,
       occurredAt = excluded.occurredAt WHERE excluded.occurredAt > outcomes.occurredAt`,
    crypto.randomUUID(),
    trajectory,
    metric,
    sender,
    value,
    at,
  );

async function tallied() {
  const { results } = await DB.prepare(
    `SELECT metric, source, count, total, squares FROM outcomeTallies
     WHERE site = 'desk' AND count > 0 ORDER BY metric, source`,
  ).all();
  const live = await DB.prepare(
    `SELECT name, count FROM tallies
     WHERE site = 'desk' AND name IN ('live', 'liveWithOutcome') AND count > 0 ORDER BY name`,
  ).all();
  return [
    ...results,
    ...live.results,
    ...(await heard("SELECT key, count FROM tallies WHERE name = 'heard' AND count > 0")),
  ];
}

/** Requests by metric. */
const heard = async (sql: string) => (await DB.prepare(`${sql} ORDER BY 1`).all()).results;

async function counted() {
  const { results } = await DB.prepare(
    `SELECT metric, CASE sender WHEN '' THEN 'server' ELSE 'page' END AS source, COUNT(*) AS count,
       SUM(value) AS total, SUM(value * value) AS squares
     FROM outcomes WHERE visitorId IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2`,
  ).all();
  const live = await DB.prepare(
    `SELECT 'live' AS name, COUNT(*) AS count FROM trajectories WHERE assignmentId IS NULL HAVING COUNT(*) > 0
     UNION ALL
     SELECT 'liveWithOutcome', COUNT(DISTINCT t.id) FROM trajectories t JOIN outcomes o ON o.trajectoryId = t.id
     WHERE t.assignmentId IS NULL AND o.visitorId IS NOT NULL HAVING COUNT(DISTINCT t.id) > 0`,
  ).all();
  return [
    ...results,
    ...live.results,
    ...(await heard(
      `SELECT 'outcome:' || metric AS key, COUNT(DISTINCT trajectoryId) AS count FROM outcomes
       WHERE visitorId IS NOT NULL GROUP BY 1`,
    )),
  ];
}

test.for([1, 2, 3].slice(0, sampleSize(1, 3)))(
  "counts equal the rows after a random order of changes (seed %i)",
  async (seed) => {
    await applyD1Migrations(DB, MIGRATIONS);
    const random = seededRandom(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const trajectories = ["t0", "t1", "t2", "t3"];
    const visitors = ["v0", "v1"];
    const ownerOf = (id: string) => `v${Number(id[1]) % 2}`;
    const seen = new Set<string>();
    for (let step = 0; step < 120; step += 1) {
      const id = pick(trajectories);
      const isStored = await DB.prepare("SELECT 1 FROM trajectories WHERE id = ?1")
        .bind(id)
        .first();
      const act = random();
      if (act < 0.2 && isStored === null) {
        await insertTrajectory(id, ownerOf(id), id === "t3" ? "a3" : null);
      } else if (act < 0.27) {
        await run("DELETE FROM trajectories WHERE id = ?1", id);
      } else if (act < 0.32) {
        await run("DELETE FROM outcomes WHERE sender = ?1", pick(["", ...visitors]));
      } else {
        const value = Math.floor(random() * 10);
        await report(id, pick(["booked", "rating"]), pick(["", ...visitors]), value, step % 7);
      }
      const counts = await counted();
      expect(await tallied()).toEqual(counts);
      for (const row of counts) seen.add(`${String(row["source"] ?? row["name"] ?? row["key"])}`);
    }
    // The control: every kind of count was there at some time.
    expect([...seen].toSorted()).toEqual([
      "live",
      "liveWithOutcome",
      "outcome:booked",
      "outcome:rating",
      "page",
      "server",
    ]);
  },
);

test("an installation without outcomes keeps its rows, and its live trajectories are counted", async () => {
  await applyD1Migrations(
    DB,
    MIGRATIONS.filter(({ name }) => name < "0012"),
  );
  await run(
    `INSERT INTO sites (id, name, createdAt, settings, trainerCredential, operatorCredential)
     VALUES ('desk', 'Desk', 1, '{}', 'a', 'b')`,
  );
  await insertTrajectory("t0", "v0", null);
  await insertTrajectory("t1", "v0", null);
  await insertTrajectory("t2", "v0", "a2");
  await applyD1Migrations(DB, MIGRATIONS);
  expect(await tallied()).toEqual([{ name: "live", count: 2 }]);
  expect(await DB.prepare("SELECT * FROM sites").first()).toMatchObject({
    trainerCredential: "a",
    operatorCredential: "b",
    outcomesCredential: "",
  });
  await run("DELETE FROM trajectories WHERE id = 't0'");
  expect(await tallied()).toEqual([{ name: "live", count: 1 }]);
});
