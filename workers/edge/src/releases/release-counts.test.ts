/** The counts of a release equal a plain recount of everything that was uploaded, and outlive the visitors. */
import { runInDurableObject } from "cloudflare:test";
import { DEFAULT_SITE, seededRandom, type SessionResponse } from "@waggle/protocol";
import { type ArmSums, EMPTY_ARM, MAX_VALUES_PER_VISITOR, withValue } from "@waggle/evaluation";
import { beforeEach, expect, test } from "vitest";
import { coordinatorOf } from "../coordinator.ts";
import { channelPosition } from "../session-token.ts";
import {
  ask,
  asOperator,
  bindings,
  freshEdge,
  openSession,
  publish,
  type Upload,
  upload,
  work,
} from "../testing/edge.ts";
import { METRICS, outcomeOf, serverCredential } from "../testing/outcomes.ts";
import {
  advance,
  liveRequest,
  QUICK,
  setRelease,
  shownRelease,
  thumb,
} from "../testing/releases.ts";

const { DB } = bindings;
const DAY_MS = 86_400_000;
const TIMEOUT_MS = 300_000;

let baseModel = "";

beforeEach(async () => {
  baseModel = await freshEdge();
  await setRelease({ ...QUICK, guardrails: ["rating"] }, METRICS);
});

type Arm = "candidate" | "stable";
/** What the test remembers of one request, in the order of arrival. */
type Asked = {
  readonly visitor: number;
  readonly sent: Upload;
  /** `null`: it does not count. */
  readonly arm: Arm | null;
  readonly stage: number;
  thumb: boolean | null;
  page: number | null;
  server: number | null;
};
type Counted = { readonly requests: number; readonly thumb: ArmSums; readonly rating: ArmSums };

/** Recounts everything, request by request. */
function recount(all: readonly Asked[]): Map<string, Counted> {
  const counts = new Map<string, Counted>();
  const none = { requests: 0, thumb: EMPTY_ARM, rating: EMPTY_ARM };
  const firsts = new Map<number, Asked>();
  const own = new Map<number, Asked[]>();
  const served = new Map<string, number>();
  for (const one of all) {
    if (one.arm === null) continue;
    const at = `${one.stage} ${one.arm}`;
    const before = counts.get(at) ?? none;
    const ofStage = `${one.visitor} ${one.stage}`;
    const requests = (served.get(ofStage) ?? 0) + 1;
    served.set(ofStage, requests);
    const isCounted = requests <= MAX_VALUES_PER_VISITOR;
    counts.set(at, { ...before, requests: before.requests + (isCounted ? 1 : 0) });
    const first = firsts.get(one.visitor) ?? one;
    firsts.set(one.visitor, first);
    if (first.arm === one.arm) own.set(one.visitor, [...(own.get(one.visitor) ?? []), one]);
  }
  for (const [visitor, requests] of own) {
    const first = firsts.get(visitor) as Asked;
    const at = `${first.stage} ${first.arm}`;
    const sums = { thumb: { values: 0, total: 0 }, rating: { values: 0, total: 0 } };
    for (const { thumb: isUp, page, server } of requests.slice(0, MAX_VALUES_PER_VISITOR)) {
      const stars = server ?? page;
      const values = {
        thumb: isUp === null ? null : Number(isUp),
        rating: stars === null ? null : (stars - 1) / 4,
      };
      for (const metric of ["thumb", "rating"] as const) {
        const value = values[metric];
        if (value === null) continue;
        const count = counts.get(at) as Counted;
        counts.set(at, { ...count, [metric]: withValue(count[metric], sums[metric], value) });
        const { values: n, total } = sums[metric];
        sums[metric] = { values: n + 1, total: total + value };
      }
    }
  }
  return counts;
}

/** The same from the edge's tables. */
async function tallied(): Promise<Map<string, Counted>> {
  const arms = await DB.prepare("SELECT stage, arm, requests FROM releaseArms").all<{
    stage: number;
    arm: Arm;
    requests: number;
  }>();
  const sums = await DB.prepare("SELECT * FROM releaseSums").all<
    ArmSums & { stage: number; arm: Arm; metric: "thumb" | "rating" }
  >();
  return new Map(
    arms.results.map(({ stage, arm, requests }) => {
      const of = (metric: string): ArmSums => {
        const row = sums.results.find(
          (one) => one.stage === stage && one.arm === arm && one.metric === metric,
        );
        if (row === undefined) return EMPTY_ARM;
        const { visitors, values, total, squaredValues, products, squaredTotals } = row;
        return { visitors, values, total, squaredValues, products, squaredTotals };
      };
      return [`${stage} ${arm}`, { requests, thumb: of("thumb"), rating: of("rating") }];
    }),
  );
}

const sorted = (counts: Map<string, Counted>) =>
  [...counts].toSorted(([x], [y]) => x.localeCompare(y));

test(
  "counts equal a recount after uploads, repeats, late and changed values in a random order",
  { timeout: TIMEOUT_MS },
  async () => {
    const server = await serverCredential(DEFAULT_SITE);
    const random = seededRandom(5);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const sessions: SessionResponse[] = [];
    const positions: number[] = [];
    // Visitors on both sides of the first share.
    const isIn = (position: number) => position < 0.4;
    while (positions.filter(isIn).length < 2 || positions.every(isIn)) {
      const session = await openSession();
      sessions.push(session);
      positions.push(await channelPosition(session.visitorId));
    }
    const tokenOf = (visitor: number) => sessions[visitor]?.token ?? "";
    await publish(1, baseModel);
    await work(tokenOf(0), baseModel);

    const all: Asked[] = [];
    const repeats: (string | undefined)[] = [];
    let share = 0.4;
    let at = Date.parse("2026-11-20T12:00:00.000Z");
    const ask4 = async (visitor: number): Promise<void> => {
      const isCanary = (positions[visitor] ?? 1) < share;
      const batch = [];
      for (let i = 0; i < 4; i += 1) {
        // The last one names the other version: an old page, or a lie.
        const version = isCanary === i < 3 ? 1 : 0;
        const sent = await liveRequest(baseModel, version);
        const isCounted = (version === 1) === isCanary;
        const arm: Arm | null = isCounted ? (version === 1 ? "candidate" : "stable") : null;
        const stage = share === 0.4 ? 0 : 1;
        const one: Asked = { visitor, sent, arm, stage, thumb: null, page: null, server: null };
        // A thumb may arrive before its request.
        if (i === 0) {
          one.thumb = random() < 0.5;
          await thumb(tokenOf(visitor), sent.trajectory.id, one.thumb);
        }
        batch.push(one);
      }
      const { results } = await upload(tokenOf(visitor), ...batch.map(({ sent }) => sent));
      expect(results.map(({ status }) => status)).toEqual(batch.map(() => "accepted"));
      all.push(...batch);
    };
    for (let visitor = 0; visitor < sessions.length; visitor += 1) await ask4(visitor);
    // More requests than can count.
    const busy = positions.findIndex(isIn);
    for (let i = 0; i < 3; i += 1) await ask4(busy);
    for (let step = 0; step < 40; step += 1) {
      if (step === 15) {
        await DB.prepare("UPDATE releases SET stage = 1, share = 0.6").run();
        share = 0.6;
        sessions.push(await openSession());
        positions.push(await channelPosition(sessions.at(-1)?.visitorId ?? ""));
        await ask4(sessions.length - 1);
      }
      // Counting in between changes nothing in the end.
      if (step === 30) await advance();
      // The first has values of both the page and the server.
      const one = step < 2 ? (all[0] as Asked) : pick(all);
      const token = tokenOf(one.visitor);
      const { id } = one.sent.trajectory;
      const act = [0.6, 0.9, 0.2][step] ?? random();
      at += 1000;
      const stars = 1 + Math.floor(random() * 9) / 2;
      const outcome = outcomeOf(one.sent.trajectory, {
        metric: "rating",
        value: stars,
        at: new Date(at).toISOString(),
      });
      if (act < 0.15) await ask4(sessions.length - 1);
      else if (act < 0.3) {
        const { results } = await upload(token, one.sent);
        repeats.push(results[0]?.status);
      } else if (act < 0.6) {
        one.thumb = random() < 0.5;
        await thumb(token, id, one.thumb);
      } else {
        if (act < 0.9) {
          one.page = stars;
          await ask("POST", "/v1/visitor/outcomes", { token, body: outcome });
        }
        // The server may say the opposite of the page.
        if (act >= 0.7) {
          one.server = 6 - stars;
          const body = { outcomes: [{ ...outcome, value: one.server }] };
          await ask("POST", "/v1/outcomes", { ...server, body });
        }
      }
    }
    await advance();
    const expected = sorted(recount(all));
    const found = sorted(await tallied());
    expect(found.map(([name, { requests }]) => [name, requests])).toEqual(
      expected.map(([name, { requests }]) => [name, requests]),
    );
    for (const [i, [name, counts]] of expected.entries()) {
      for (const metric of ["thumb", "rating"] as const) {
        for (const key of Object.keys(EMPTY_ARM) as (keyof ArmSums)[]) {
          expect(found[i]?.[1][metric][key], `${name} ${metric} ${key}`).toBeCloseTo(
            counts[metric][key],
            8,
          );
        }
      }
    }
    // The control: everything that can matter has happened.
    expect(new Set(repeats)).toEqual(new Set(["duplicate"]));
    expect(all.filter(({ visitor, arm }) => visitor === busy && arm !== null)).toHaveLength(12);
    expect(all.some(({ arm }) => arm === null)).toBe(true);
    expect(all.some(({ page, server: own }) => page !== null && own !== null)).toBe(true);
    expect(expected.length).toBeGreaterThanOrEqual(3);
    const { metrics, stages } = await shownRelease();
    expect(stages.map(({ candidate }) => candidate)).toEqual(
      [0, 1].map((stage) => recount(all).get(`${stage} candidate`)?.requests ?? 0),
    );
    expect(metrics.map(({ name }) => name)).toEqual(["thumb", "rating"]);
  },
);

test("a visitor counts with ten requests in each stage", async () => {
  await publish(1, baseModel);
  const { token } = await answered(true);
  const ask6 = async (): Promise<void> => {
    const requests = await Promise.all(Array.from({ length: 6 }, () => liveRequest(baseModel, 0)));
    await upload(token, ...requests);
  };
  await ask6();
  expect((await tallied()).get("0 stable")?.requests).toBe(7);
  await ask6();
  expect((await tallied()).get("0 stable")?.requests).toBe(10);
  await answered(true);
  expect((await tallied()).get("0 stable")?.requests).toBe(11);
  await DB.prepare("UPDATE releases SET stage = 1").run();
  await ask6();
  expect((await tallied()).get("0 stable")?.requests).toBe(11);
  expect((await tallied()).get("1 stable")?.requests).toBe(6);
});

/** Rows that name a visitor. */
async function visitorRows(): Promise<number> {
  const counts = ["releaseVisitors", "releaseRequests", "releaseValues"].map((table) =>
    DB.prepare(`SELECT COUNT(*) AS n FROM ${table}`).first<number>("n"),
  );
  return (await Promise.all(counts)).reduce<number>((sum, n) => sum + (n ?? 0), 0);
}

/** A visitor of the stable version who has asked once. */
async function answered(isUp: boolean): Promise<{ token: string; id: string }> {
  const { token, channel } = await openSession();
  if (channel !== "stable") return answered(isUp);
  const request = await liveRequest(baseModel, 0);
  await upload(token, request);
  await thumb(token, request.trajectory.id, isUp);
  return { token, id: request.trajectory.id };
}

test("values are counted before the retention deletes them", async () => {
  await publish(1, baseModel);
  await answered(true);
  await ask("PUT", `/v1/operator/sites/${DEFAULT_SITE}`, {
    ...asOperator,
    body: { settings: { retentionDays: 1 } },
  });
  const expired = await runInDurableObject(coordinatorOf(bindings, DEFAULT_SITE), (object) =>
    object.expire(Date.now() + 2 * DAY_MS),
  );
  expect(expired).toBe(1);
  await advance();
  expect((await tallied()).get("0 stable")).toMatchObject({
    requests: 1,
    thumb: { visitors: 1, values: 1, total: 1 },
  });
});

test("sums stay when a visitor is forgotten, when data expires, and after the end; rows of visitors do not", async () => {
  await publish(1, baseModel);
  const forgotten = await answered(true);
  const { token, id } = await answered(false);
  await advance();
  const before = await tallied();
  expect(before.get("0 stable")).toMatchObject({
    requests: 2,
    thumb: { visitors: 2, values: 2, total: 1 },
  });
  expect(await visitorRows()).toBe(6);
  await ask("DELETE", "/v1/visitor", { token: forgotten.token });
  expect(await visitorRows()).toBe(3);
  await advance();
  expect(await tallied()).toEqual(before);

  await ask("PUT", `/v1/operator/sites/${DEFAULT_SITE}`, {
    ...asOperator,
    body: { settings: { retentionDays: 1 } },
  });
  const coordinator = coordinatorOf(bindings, DEFAULT_SITE);
  const expired = await runInDurableObject(coordinator, (object) =>
    object.expire(Date.now() + 2 * DAY_MS),
  );
  expect(expired).toBe(1);
  // What comes afterwards cannot be compared with what is gone.
  await thumb(token, id, true);
  await upload(token, await liveRequest(baseModel, 0));
  await advance();
  const after = await tallied();
  expect(after.get("0 stable")).toEqual({ ...before.get("0 stable"), requests: 3 });

  const body = { reason: "" };
  await ask("POST", "/v1/operator/policies/1/roll-back", { ...asOperator, body });
  expect(await visitorRows()).toBeGreaterThan(0);
  expect(await advance()).toBeNull();
  expect(await visitorRows()).toBe(0);
  expect(await tallied()).toEqual(after);
  // A thumb after the end changes nothing, and a request counts in no release.
  await upload(token, await liveRequest(baseModel, 0));
  expect(await tallied()).toEqual(after);
});
