/** The attacks over HTTP of `npm run test:tamper` and a sample of the requests of `npm run test:fuzz`, on a real Worker. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { AttackedEdge } from "../../scripts/testing/edge/attacked-edge.ts";
import { fuzzEdge } from "../../scripts/testing/fuzz/edge-run.ts";
import type { AttackResult } from "../../scripts/testing/tamper/attack.ts";
import { runEdgeAttack, uploadOfBody } from "../../scripts/testing/tamper/edge-attack.ts";
import { EDGE_ATTACKS, runEdgeAttacks } from "../../scripts/testing/tamper/edge-attacks.ts";
import { sampleSize } from "../fixtures/long.ts";

let edge: AttackedEdge;
beforeAll(async () => {
  edge = await AttackedEdge.start();
});
afterAll(() => edge.stop());

test("every attack over HTTP is refused with its code and stores nothing", async () => {
  const results: AttackResult[] = [];
  await runEdgeAttacks(edge, (result) => void results.push(result));
  expect(results).toHaveLength(EDGE_ATTACKS.length);
  expect(results.filter(({ result }) => result !== "rejected")).toEqual([]);
});

test("an attack that is accepted, or refused with another code, counts as failed", async () => {
  const attack = { name: "n", does: "d", stoppedBy: "s", status: 200, code: null };
  const upload = async () =>
    uploadOfBody(edge, JSON.stringify({ trajectories: [await edge.validUpload()] }));
  expect(await runEdgeAttack(edge, { ...attack, request: upload })).toMatchObject({
    result: "failed",
    details: expect.stringContaining("rows changed") as string,
  });
  const wrong = { ...attack, status: 400, code: "REPLAYED" };
  const empty = () => uploadOfBody(edge, "{}");
  expect(await runEdgeAttack(edge, { ...wrong, request: empty })).toMatchObject({
    result: "failed",
    details: "400 SCHEMA_INVALID; expected 400 REPLAYED",
  });
});

test("random requests get an answer below 500, and refused ones change no rows", async () => {
  const count = sampleSize(400, 5000);
  const { defects, statuses } = await fuzzEdge(edge, 7, 0, count, () => {});
  expect(defects).toEqual([]);
  const answered = [...statuses.values()].reduce((sum, n) => sum + n, 0);
  expect(answered).toBe(count);
  expect(statuses.get(200)).toBeGreaterThan(count / 20);
});
