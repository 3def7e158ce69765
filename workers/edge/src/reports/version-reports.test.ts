/** Reports about versions: stored by the trainer, read by the operator. */
import type { LearnedFrom, VersionReport } from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import {
  ask,
  asOperator,
  asTrainer,
  call,
  freshEdge,
  lease,
  openSession,
  publish,
  work,
} from "../testing/edge.ts";

let baseModel = "";
beforeEach(async () => {
  baseModel = await freshEdge();
});

const LEARNED: LearnedFrom = {
  recipe: "signals-reinforce",
  steps: 2,
  trajectories: 3,
  signals: [{ signal: "thumb", trajectories: 3, weight: 1.5 }],
  consents: [{ version: "1", trajectories: 3 }],
};
const ANSWER = { request: "Wave.", text: "Hi.", calls: ["wave {}"], success: true };
const REPORT: VersionReport = {
  learnedFrom: LEARNED,
  answers: { comparedWith: 0, pairs: [{ before: ANSWER, after: { ...ANSWER, text: null } }] },
};

const put = (version: number, body: unknown) =>
  call("PUT", `/v1/trainer/policies/${version}/report`, { ...asTrainer, body });
const get = (version: number) => call("GET", `/v1/operator/policies/${version}/report`, asOperator);

/** Trajectories of visitors, each of which is learned at the visitor's step. */
async function learnAt(steps: readonly number[], each: number): Promise<void> {
  const settings = { groupSize: 1 };
  await ask("PUT", "/v1/operator/sites/default", { ...asOperator, body: { settings } });
  const stepOf = new Map<string, number>();
  for (const step of steps) {
    const { token, visitorId } = await openSession();
    stepOf.set(visitorId, step);
    for (let i = 0; i < each; i += 1) await work(token, baseModel);
  }
  const { leaseId, fencingToken, groups } = await lease(steps.length * each);
  const outcomes = groups.flatMap(({ trajectories }) =>
    trajectories.map(({ digest, visitorId }) => ({
      digest,
      status: "learned",
      step: stepOf.get(visitorId),
    })),
  );
  const body = { fencingToken, outcomes };
  await ask("POST", `/v1/trainer/leases/${leaseId}/acknowledge`, { ...asTrainer, body });
}

test("a report is read as it was sent, and a repeated one replaces it", async () => {
  await publish(1, baseModel, 3);
  expect((await get(1)).status).toBe(404);
  expect((await put(1, { learnedFrom: LEARNED })).status).toBe(200);
  expect((await put(1, REPORT)).status).toBe(200);
  expect((await get(1)).body).toEqual({ report: REPORT, visitors: 0 });
});

test("the edge counts the visitors of the steps that the version adds", async () => {
  await learnAt([1, 2, 3, 4], 2);
  await publish(1, baseModel, 3);
  for (const steps of [2, 3, 0]) {
    await put(1, { learnedFrom: { ...LEARNED, steps } });
    expect((await get(1)).body).toMatchObject({ visitors: steps });
  }
});

test("a version that was never published has no report", async () => {
  expect(await put(1, REPORT)).toMatchObject({ status: 404 });
  expect(await get(1)).toMatchObject({ status: 404, body: { error: { code: "NOT_FOUND" } } });
});

test.each([
  [
    "too many answers",
    { answers: { comparedWith: 0, pairs: Array(21).fill({ before: ANSWER, after: ANSWER }) } },
  ],
  [
    "a text that is too long",
    {
      answers: {
        comparedWith: 0,
        pairs: [{ before: ANSWER, after: { ...ANSWER, text: "x".repeat(2001) } }],
      },
    },
  ],
  [
    "an unknown signal",
    { learnedFrom: { ...LEARNED, signals: [{ signal: "<b>", trajectories: 1, weight: 1 }] } },
  ],
  [
    "a negative weight",
    { learnedFrom: { ...LEARNED, signals: [{ signal: "thumb", trajectories: 1, weight: -1 }] } },
  ],
  ["an unknown member", { more: 1 }],
])("%s is refused", async (_, body) => {
  await publish(1, baseModel);
  expect(await put(1, body)).toMatchObject({
    status: 400,
    body: { error: { code: "SCHEMA_INVALID" } },
  });
  expect((await get(1)).status).toBe(404);
});

test("a trainer cannot read a report, and nobody else can", async () => {
  await publish(1, baseModel);
  await put(1, REPORT);
  const { token } = await openSession();
  for (const as of [asTrainer, { token }, {}]) {
    expect((await call("GET", "/v1/operator/policies/1/report", as)).status).toBeGreaterThan(400);
  }
});
