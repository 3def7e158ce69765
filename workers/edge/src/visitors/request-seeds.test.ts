/** Seeds of visitors' own requests, from the session to the stored row. */
import { spanSeed, type VisitorExportLine } from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import {
  ask,
  asOperator,
  bindings,
  call,
  freshEdge,
  makeUpload,
  openSession,
  rows,
  type Upload,
  upload,
} from "../testing/edge.ts";
import { countUnusedSeeds, giveSeeds } from "./request-seeds.ts";

const MONTH = 31 * 86_400_000;
let baseModel = "";

beforeEach(async () => {
  baseModel = await freshEdge();
});

/** A visitor's own request that was sampled with this seed. */
async function sampledWith(samplingSeed: number): Promise<Upload> {
  const { trajectory } = await makeUpload(baseModel, null);
  return makeUpload(baseModel, null, {
    samplingSeed,
    segments: trajectory.segments.map((segment) =>
      segment.kind === "given"
        ? segment
        : { ...segment, sampling: { ...segment.sampling, seed: spanSeed(samplingSeed, 0) } },
    ),
  });
}

async function storedSeeds(): Promise<(number | null)[]> {
  const { results } = await bindings.DB.prepare(
    "SELECT samplingSeed FROM trajectories ORDER BY receivedAt, digest",
  ).all<{ samplingSeed: number | null }>();
  return results.map(({ samplingSeed }) => samplingSeed);
}

test("a session gives eight seeds, and used ones are replaced behind the others", async () => {
  const first = await openSession();
  const seeds = first.requestSeeds ?? [];
  expect(new Set(seeds).size).toBe(8);
  expect((await openSession(first.visitorToken)).requestSeeds).toEqual(seeds);
  await upload(first.token, await sampledWith(seeds[0] as number));
  const next = (await openSession(first.visitorToken)).requestSeeds ?? [];
  expect(next.slice(0, 7)).toEqual(seeds.slice(1));
  expect(next).toHaveLength(8);
  expect(seeds).not.toContain(next[7]);
  expect(await storedSeeds()).toEqual([seeds[0]]);
  expect((await openSession()).requestSeeds).not.toEqual(seeds);
});

test("seeds that were passed over count as unused, until they are used after all", async () => {
  const { token, visitorId, visitorToken, requestSeeds = [] } = await openSession();
  await upload(token, await sampledWith(requestSeeds[3] as number));
  expect(await countUnusedSeeds(rows, visitorId)).toBe(3);
  expect((await openSession(visitorToken)).requestSeeds?.[0]).toBe(requestSeeds[4]);
  await upload(token, await sampledWith(requestSeeds[1] as number));
  expect(await countUnusedSeeds(rows, visitorId)).toBe(2);
  const reply = await call("GET", `/v1/operator/visitors/${visitorId}/export`, asOperator);
  const [line = ""] = String(reply.body).split("\n");
  expect(JSON.parse(line) as VisitorExportLine).toMatchObject({ kind: "visitor", unusedSeeds: 2 });
});

test("a seed that was used before, or given to somebody else, is stored as unchecked", async () => {
  const { token, requestSeeds = [] } = await openSession();
  const other = await openSession();
  const seed = requestSeeds[0] as number;
  await upload(token, await sampledWith(seed));
  await upload(token, await sampledWith(seed));
  await upload(other.token, await sampledWith(requestSeeds[1] as number));
  const seeds = await storedSeeds();
  expect(seeds).toHaveLength(3);
  expect(seeds.filter((one) => one !== null)).toEqual([seed]);
  const page = await ask<{ rows: { hasEdgeSeed: boolean }[] }>(
    "GET",
    "/v1/operator/trajectories",
    asOperator,
  );
  expect(page.rows.filter(({ hasEdgeSeed }) => hasEdgeSeed)).toHaveLength(1);
});

test("two uploads at once use a seed once", async () => {
  const { token, requestSeeds = [] } = await openSession();
  const seed = requestSeeds[0] as number;
  const both = [await sampledWith(seed), await sampledWith(seed)];
  await Promise.all(both.map((one) => upload(token, one)));
  expect((await storedSeeds()).filter((one) => one === seed)).toHaveLength(1);
});

test("a visit without consent gets no seeds, and a forgotten visitor's are deleted", async () => {
  const visit = await ask("POST", "/v1/sessions", {
    body: { siteKey: "test-site", remember: false },
  });
  expect(visit).not.toHaveProperty("requestSeeds");
  const { token } = await openSession();
  await ask("DELETE", "/v1/visitor", { token });
  const left = await bindings.DB.prepare("SELECT COUNT(*) AS count FROM requestSeeds").first();
  expect(left).toEqual({ count: 0 });
});

test("seeds of a month ago are deleted when somebody else gets some", async () => {
  const now = Date.now();
  const [old, young] = [crypto.randomUUID(), crypto.randomUUID()];
  await giveSeeds(rows, old, now - MONTH);
  await giveSeeds(rows, young, now);
  const { results } = await bindings.DB.prepare(
    "SELECT DISTINCT visitorId FROM requestSeeds",
  ).all();
  expect(results).toEqual([{ visitorId: young }]);
});
