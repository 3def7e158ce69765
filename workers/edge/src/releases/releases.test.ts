/** Releases over the routes that pages, trainers and operators use. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { type AuditResponse, DEFAULT_SITE, type PoliciesResponse } from "@waggle/protocol";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { isLong } from "../../../../test/fixtures/long.ts";
import { coordinatorOf } from "../coordinator.ts";
import {
  ask,
  asOperator,
  asTrainer,
  bindings,
  call,
  freshEdge,
  makePublication,
  openSession,
  publish,
} from "../testing/edge.ts";
import {
  advance,
  QUICK,
  servedVersion,
  setRelease,
  shownRelease,
  visit,
} from "../testing/releases.ts";

/** Requests over HTTP are slow on a busy machine. */
const TIMEOUT_MS = 120_000;

let baseModel = "";

beforeEach(async () => {
  baseModel = await freshEdge();
  await setRelease(QUICK);
});

const policies = (): Promise<PoliciesResponse> => ask("GET", "/v1/trainer/policies", asTrainer);
const audit = async () =>
  (await ask<AuditResponse>("GET", "/v1/operator/audit", asOperator)).entries;

/** New visitors, until the release has ended. @returns their sessions with the version that served them */
async function visitUntilEnd(isGood: (version: number) => boolean, most = 160) {
  const visits: Awaited<ReturnType<typeof visit>>[] = [];
  while (visits.length < most) {
    for (let i = 0; i < 10; i += 1) visits.push(await visit(baseModel, isGood));
    await advance();
    if ((await shownRelease()).state !== "running") return visits;
  }
  throw new Error(`the release goes on: ${JSON.stringify(await shownRelease())}`);
}

/** New visitors, until 20 of each version have a value, so that the share may grow. */
async function visitUntilGrowth() {
  const visits: Awaited<ReturnType<typeof visit>>[] = [];
  const served = (version: number): number =>
    visits.filter((one) => one.version === version).length;
  while (Math.min(served(0), served(1)) < 20) visits.push(await visit(baseModel, () => true));
  return visits;
}

test(
  "a candidate that people like less is rolled back, and the log says why",
  { timeout: TIMEOUT_MS },
  async () => {
    await publish(1, baseModel);
    expect((await policies()).release).toEqual({ version: 1, share: 0.4 });
    const visits = await visitUntilEnd((version) => version === 0);
    expect(new Set(visits.map(({ version }) => version))).toEqual(new Set([0, 1]));
    expect(await policies()).toMatchObject({ stable: 0, canary: 0, release: null });
    const release = await shownRelease();
    expect(release).toMatchObject({ version: 1, stable: 0, state: "rolled-back" });
    expect(release.decision).toMatchObject({ action: "roll back" });
    // All visitors of a version say the same. That is no certainty about others.
    expect(release.metrics[0]).toMatchObject({
      candidate: { mean: 0, interval: { low: 0 } },
      stable: { mean: 1, interval: { high: 1 } },
    });
    expect(release.metrics[0]?.candidate.interval?.high).toBeGreaterThan(0.01);
    expect(release.metrics[0]?.stable.interval?.low).toBeLessThan(0.99);
    const [entry] = await audit();
    expect(entry).toMatchObject({ by: "edge", action: "roll-back", version: 1 });
    expect(entry?.reason).toMatch(/^thumb is lower by 1\.000 ± 0\.0/);
    for (const { session } of visits) expect(await servedVersion(session.token)).toBe(0);
  },
);

test(
  "a candidate that people like more grows, keeps its visitors, and is promoted",
  { timeout: TIMEOUT_MS },
  async () => {
    await publish(1, baseModel);
    const visits = await visitUntilEnd((version) => version === 1);
    expect(await policies()).toMatchObject({ stable: 1, canary: 1, release: null });
    const release = await shownRelease();
    expect(release).toMatchObject({ state: "promoted", share: 0.6 });
    expect(release.stages.map(({ share }) => share)).toEqual([0.4, 0.6]);
    const entries = (await audit()).filter(({ by }) => by === "edge");
    expect(entries.map(({ action }) => action)).toEqual(["promote", "set-share"]);
    expect(entries[0]?.reason).toMatch(/^better: the difference of thumb is at least [01]\./);
    expect(entries[1]?.reason).toBe("60 % of visitors: no metric looks worse");
    for (const { session } of visits) expect(await servedVersion(session.token)).toBe(1);
  },
);

// In npm test, the test above has it after the promotion.
test.runIf(isLong())(
  "a visitor who has the candidate keeps it while the share grows",
  { timeout: TIMEOUT_MS },
  async () => {
    await publish(1, baseModel);
    const visits = await visitUntilGrowth();
    const first = visits.filter(({ version }) => version === 1);
    expect(await advance()).toMatchObject({ action: "set share" });
    for (const { session } of first) expect(await servedVersion(session.token)).toBe(1);
    // Also in the next session.
    const { channel } = await openSession(first[0]?.session.visitorToken);
    expect(channel).toBe("canary");
  },
);

describe("while a release runs", () => {
  beforeEach(() => publish(1, baseModel));

  test("trainers cannot promote or publish, and are told to wait", async () => {
    const promotion = await call("POST", "/v1/trainer/policies/1/promote", asTrainer);
    // A trainer of an earlier release repeats a call that got 429, and goes on when it succeeds.
    expect(promotion).toMatchObject({ status: 429, body: { error: { code: "RELEASE_RUNNING" } } });
    const body = await makePublication(baseModel, { step: 2 });
    const second = await call("POST", "/v1/trainer/policies", { ...asTrainer, body });
    expect(second).toMatchObject({ status: 429, body: { error: { code: "RELEASE_RUNNING" } } });
    expect((second.body as { error: { message: string } }).error.message).toMatch(
      /^version 1 is being released to 40 % of the visitors; the edge will promote it or roll it back/,
    );
    const failed = { ...body, status: "rolled-back" };
    expect(
      (await call("POST", "/v1/trainer/policies", { ...asTrainer, body: failed })).status,
    ).toBe(200);
    expect(await policies()).toMatchObject({ stable: 0, canary: 1 });
  });

  test.each([
    ["promote", "promoted", 1],
    ["roll-back", "rolled-back", 0],
  ] as const)("an operator can %s the candidate", async (action, state, stable) => {
    const body = { reason: "seen enough" };
    await ask("POST", `/v1/operator/policies/1/${action}`, { ...asOperator, body });
    expect(await policies()).toMatchObject({ stable, release: null });
    expect(await shownRelease()).toMatchObject({ state, decision: null });
    expect(await advance()).toBeNull();
    expect((await audit()).map(({ by }) => by)).not.toContain("edge");
    // The next candidate starts the next release.
    await publish(2, baseModel);
    expect((await policies()).release).toEqual({ version: 2, share: 0.4 });
  });

  test("the candidate is rolled back if another version becomes stable", async () => {
    await ask("POST", "/v1/operator/policies/1/promote", { ...asOperator, body: { reason: "" } });
    await publish(2, baseModel);
    await ask("POST", "/v1/operator/policies/0/promote", { ...asOperator, body: { reason: "" } });
    expect(await advance()).toMatchObject({
      action: "roll back",
      reason: "version 0 is stable now, and the release compares with version 1",
    });
    expect(await policies()).toMatchObject({ stable: 0, canary: 0, release: null });
  });

  test("a change of the setting does not change it", async () => {
    await setRelease(null);
    expect((await policies()).release).toEqual({ version: 1, share: 0.4 });
    expect(await shownRelease()).toMatchObject({ state: "running", horizon: 400 });
  });

  test("the alarm decides", async () => {
    expect(await runDurableObjectAlarm(coordinatorOf(bindings, DEFAULT_SITE))).toBe(true);
    expect((await shownRelease()).decision).toMatchObject({
      action: "go on",
      reason: "the stage has 0 of 4 requests",
    });
    // It is set again.
    expect(await runDurableObjectAlarm(coordinatorOf(bindings, DEFAULT_SITE))).toBe(true);
  });

  test.each(["enqueueStale", "expire"] as const)(
    "the alarm decides also if %s fails, and then fails",
    async (step) => {
      await runInDurableObject(coordinatorOf(bindings, DEFAULT_SITE), async (object) => {
        const spy = vi.spyOn(object, step).mockRejectedValue(new Error("the store is away"));
        onTestFinished(() => spy.mockRestore());
        await expect(object.alarm()).rejects.toThrow("the store is away");
      });
      expect((await shownRelease()).decision).toMatchObject({ action: "go on" });
    },
  );

  test("a freeze holds the share", { timeout: TIMEOUT_MS }, async () => {
    await visitUntilGrowth();
    await ask("PUT", "/v1/operator/freeze", { ...asOperator, body: { reason: "holiday" } });
    expect(await advance()).toMatchObject({
      action: "go on",
      reason: expect.stringContaining("froze promotions") as string,
    });
    expect((await policies()).release).toEqual({ version: 1, share: 0.4 });
    await ask("DELETE", "/v1/operator/freeze", asOperator);
    expect(await advance()).toMatchObject({ action: "set share" });
  });

  test("counts that contradict each other hold it", async () => {
    await bindings.DB.prepare(
      `INSERT INTO releaseSums (site, version, stage, arm, metric, visitors, "values", total,
         squaredValues, products, squaredTotals)
       VALUES ('default', 1, 0, 'stable', 'thumb', 2, 2, 900, 2, 2, 2)`,
    ).run();
    const reason = expect.stringContaining(
      "the sums of the stable version contradict each other",
    ) as string;
    expect(await advance()).toMatchObject({ action: "go on", reason });
    expect(await shownRelease()).toMatchObject({
      state: "running",
      share: 0.4,
      metrics: [{ difference: null }],
      decision: { action: "go on", reason },
    });
  });
});

test("without the setting, a trainer promotes at once", async () => {
  await setRelease(null);
  await publish(1, baseModel);
  expect((await policies()).release).toBeNull();
  await ask("POST", "/v1/trainer/policies/1/promote", asTrainer);
  expect((await policies()).stable).toBe(1);
  expect(await ask("GET", "/v1/operator/releases", asOperator)).toEqual({ releases: [] });
});

test.for([
  ["an undeclared metric", { metric: "booked" }, /and booked is none; it has thumb, rating$/],
  ["an undeclared guardrail", { metric: "thumb", guardrails: ["fast"] }, /and fast is none/],
  ["a metric twice", { metric: "thumb", guardrails: ["thumb"] }, /must not repeat a metric/],
  ["a response rate of 20", { metric: "thumb", responseRate: 20 }, /gateRelease\.responseRate/],
  ["a horizon of 5", { metric: "thumb", horizon: 5 }, /gateRelease\.horizon/],
  [
    "shares that fall",
    { metric: "thumb", stages: [QUICK.stages?.[1], QUICK.stages?.[0]] },
    /must have growing shares/,
  ],
  ["a share of 1", { metric: "thumb", stages: [{ share: 1, exposure: 0.1 }] }, /stages/],
  ["an unknown field", { metric: "thumb", margin: 1 }, /gateRelease/],
] as const)("a release by %s is refused", async ([, gateRelease, message]) => {
  const metrics = { rating: { type: "number", better: "higher", range: [1, 5] } } as const;
  const reply = await setRelease(gateRelease as never, metrics as never);
  expect(reply.status).toBe(400);
  expect((reply.body as { error: { message: string } }).error.message).toMatch(message);
});
