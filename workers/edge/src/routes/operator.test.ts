import type {
  MetricsResponse,
  OperatorSummary,
  TrajectoriesResponse,
  TrajectoryDetail,
} from "@waggle/protocol";
import {
  asOperator,
  ask,
  asTrainer,
  call,
  freshEdge,
  lease,
  makeUpload,
  openSession,
  type Upload,
  upload,
  work,
} from "../testing/edge.ts";
import { beforeEach, describe, expect, test } from "vitest";

let baseModel = "";
let token = "";

beforeEach(async () => {
  baseModel = await freshEdge();
  token = (await openSession()).token;
});

const list = (query = ""): Promise<TrajectoriesResponse> =>
  ask("GET", `/v1/operator/trajectories${query}`, asOperator);

/** A full group (solved, unsolved, refused) and a waiting live request. */
async function history(): Promise<{ group: Upload[]; live: Upload }> {
  const group = [
    await work(token, baseModel),
    await work(token, baseModel),
    await work(token, baseModel),
  ];
  const { leaseId, fencingToken } = await lease();
  const [a, b, c] = group.map((example) => example.digest);
  await ask("POST", `/v1/trainer/leases/${leaseId}/acknowledge`, {
    ...asTrainer,
    body: {
      fencingToken,
      outcomes: [
        { digest: a, status: "learned", reward: 1, success: true, step: 1 },
        { digest: b, status: "learned", reward: 0, success: false, step: 1 },
        { digest: c, status: "rejected", reason: "replay-mismatch" },
      ],
    },
  });
  const live = await makeUpload(baseModel, null);
  await upload(token, live);
  return { group, live };
}

test("the summary counts every trajectory once, and success only over judged ones", async () => {
  await history();
  const summary: OperatorSummary = await ask("GET", "/v1/operator/summary", asOperator);
  expect(summary).toEqual({
    trajectories: { received: 4, waiting: 1, leased: 0, learned: 2, rejected: 1, skipped: 0 },
    rejectedByReason: [{ reason: "replay-mismatch", count: 1 }],
    responses: { requests: 1, bySignal: [], byStratum: [] },
    skippedByReason: [],
    byVersion: [{ version: 0, trajectories: 2, successes: 1, meanReward: 0.5, meanTokens: 2 }],
    feedback: [],
    outcomes: { declared: {}, byMetric: [], liveTrajectories: 1, withOutcome: 0 },
    visitors: 1,
    stable: 0,
    canary: 0,
  });
});

describe("the list", () => {
  test("filters by status, success, reason, version and group", async () => {
    const { group, live } = await history();
    const digests = async (query: string) => (await list(query)).rows.map((row) => row.digest);
    expect(await digests("?status=waiting")).toEqual([live.digest]);
    expect(await digests("?status=rejected")).toEqual([group[2]?.digest]);
    expect(await digests("?success=true")).toEqual([group[0]?.digest]);
    expect(await digests("?success=false")).toEqual([group[1]?.digest]);
    expect(await digests("?reason=replay-mismatch")).toEqual([group[2]?.digest]);
    expect(await digests("?version=0")).toHaveLength(4);
    expect(await digests("?version=1")).toEqual([]);
    const { groupId } = (await list("?status=rejected")).rows[0] ?? {};
    expect((await digests(`?group=${groupId}`)).toSorted()).toEqual(
      group.map((example) => example.digest).toSorted(),
    );
  });

  test("pages through every row once, newest first", async () => {
    for (let i = 0; i < 7; i++) await upload(token, await makeUpload(baseModel, null));
    const whole = (await list()).rows;
    const paged: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? "?limit=3" : `?limit=3&cursor=${cursor}`;
      const page: TrajectoriesResponse = await list(query);
      paged.push(...page.rows.map((row) => row.digest));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(paged).toEqual(whole.map((row) => row.digest));
    const times = whole.map((row) => row.receivedAt);
    expect(times).toEqual(times.toSorted().reverse());
  });

  test("refuses an unknown filter", async () => {
    for (const query of ["?limit=1000", "?cursor=1%20OR%201=1", "?status=lost", "?order=asc"]) {
      const reply = await call("GET", `/v1/operator/trajectories${query}`, asOperator);
      expect(reply).toMatchObject({ status: 400, body: { error: { code: "SCHEMA_INVALID" } } });
    }
  });
});

test("one trajectory is returned in full, and an unknown one is 404", async () => {
  const { live } = await history();
  const detail: TrajectoryDetail = await ask(
    "GET",
    `/v1/operator/trajectories/${live.digest}`,
    asOperator,
  );
  expect(detail.trajectory).toEqual(live.trajectory);
  expect(detail.row).toMatchObject({ status: "waiting", tokens: 2, task: null, success: null });
  const missing = `/v1/operator/trajectories/${"0".repeat(64)}`;
  expect((await call("GET", missing, asOperator)).status).toBe(404);
});

test("metrics are returned in order after a step, and a repeated step replaces its row", async () => {
  const send = (...rows: [number, number][]) =>
    ask("POST", "/v1/trainer/metrics", {
      ...asTrainer,
      body: {
        rows: rows.map(([step, loss]) => ({
          step,
          at: "2026-11-20T12:00:00.000Z",
          metrics: { loss },
        })),
      },
    });
  await send([2, 0.2], [1, 0.1]);
  await send([2, 0.25], [3, 0.3]);
  const read = async (query: string) =>
    (await ask<MetricsResponse>("GET", `/v1/operator/metrics${query}`, asOperator)).rows.map(
      (row) => [row.step, row.metrics["loss"]],
    );
  expect(await read("")).toEqual([
    [1, 0.1],
    [2, 0.25],
    [3, 0.3],
  ]);
  expect(await read("?after=2")).toEqual([[3, 0.3]]);
});
