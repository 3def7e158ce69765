import type { OperatorHealth } from "@waggle/protocol";
import { beforeEach, expect, test, vi } from "vitest";
import { fault } from "../../../../test/fixtures/fault.ts";
import { noteHeartbeat, readHealth } from "../health-store.ts";
import {
  asOperator,
  ask,
  asTrainer,
  assign,
  bindings,
  call,
  freshEdge,
  makeUpload,
  openSession,
  upload,
  rows,
} from "../testing/edge.ts";

let baseModel = "";
beforeEach(async () => {
  baseModel = await freshEdge();
});

const health = (): Promise<OperatorHealth> => ask("GET", "/v1/operator/health", asOperator);

fault(
  "refused uploads are counted by reason and shown to the operator",
  {
    item: "7.1",
    before: "5 of 5 refusals were not counted: the dashboard said that nothing was rejected",
  },
  async () => {
    const { token } = await openSession();
    const good = await makeUpload(baseModel, await assign(token));
    const headers = { "content-type": "application/json" };
    const send = (raw: string) => call("POST", "/v1/trajectories", { token, raw, headers });
    await send("{");
    await send(JSON.stringify({ trajectories: [] }));
    await send(JSON.stringify({ trajectories: [{ ...good, digest: "0".repeat(64) }] }));
    await send(JSON.stringify({ trajectories: [{ digest: "0".repeat(64), trajectory: {} }] }));
    await upload(token, good, { ...good, digest: "1".repeat(64) });
    const counted = await vi.waitFor(
      async () => {
        const { refusals } = await health();
        expect(refusals).toMatchObject([
          { operation: "uploadTrajectories", reason: "SCHEMA_INVALID", count: 3 },
          { operation: "uploadTrajectories", reason: "DIGEST_MISMATCH", count: 2 },
        ]);
        return refusals.reduce((sum, { count }) => sum + count, 0);
      },
      { timeout: 10_000, interval: 200 },
    );
    return { after: `${counted} of 5 refusals are counted, under 2 reasons` };
  },
);

test("refusals are kept for seven days", async () => {
  const insert = (day: string) =>
    bindings.DB.prepare(
      "INSERT INTO refusals VALUES ('default', ?1, 'createSession', 'FORBIDDEN', 2, 0)",
    )
      .bind(day)
      .run();
  await insert("2026-11-10");
  await insert("2026-11-16");
  await insert("2026-11-20");
  const { refusals } = await readHealth(rows, Date.parse("2026-11-22T12:00:00Z"));
  expect(refusals).toMatchObject([{ operation: "createSession", reason: "FORBIDDEN", count: 4 }]);
});

fault(
  "an internal error names its request and is logged with class and stack, without the payload",
  { item: "7.1", before: "the log held a hash; 0 of class, stack and request id" },
  async () => {
    const { token } = await openSession();
    const example = await makeUpload(baseModel, await assign(token));
    await bindings.DB.prepare("ALTER TABLE assignments RENAME TO gone").run();
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const reply = await call("POST", "/v1/trajectories", {
      token,
      body: { trajectories: [example] },
    });
    const lines = log.mock.calls.map(([line]) => String(line));
    log.mockRestore();
    const requestId = reply.headers.get("x-request-id") ?? "";
    expect(reply).toMatchObject({ status: 500, body: { error: { code: "INTERNAL" } } });
    expect(JSON.stringify(reply.body)).toContain(requestId);
    const line = JSON.parse(lines.find((text) => text.includes(requestId)) ?? "{}");
    expect(line).toMatchObject({
      requestId,
      method: "POST",
      path: "/v1/trajectories",
      error: { class: "Error", message: expect.stringContaining("no such table") },
    });
    expect(line.error.stack[0]).toMatch(/^at /);
    const text = JSON.stringify(line);
    for (const secret of [example.digest, example.trajectory.id, token])
      expect(text).not.toContain(secret);
    return {
      after: `the log line has class, ${line.error.stack.length} stack frames and the request id`,
    };
  },
);

fault(
  "a trainer without a heartbeat for 20 seconds counts as stopped",
  { item: "7.1", before: "without a trainer the dashboard said live" },
  async () => {
    const beat = { trainerId: "trainer-7", step: 12, activity: "learning" };
    expect((await health()).trainers).toEqual([]);
    await ask("POST", "/v1/trainer/heartbeat", { ...asTrainer, body: beat });
    const [trainer] = (await health()).trainers;
    expect(trainer).toMatchObject({ ...beat, isRunning: true });
    const seenAt = Date.parse(trainer?.seenAt ?? "");
    const [later] = (await readHealth(rows, seenAt + 20_001)).trainers;
    expect(later).toMatchObject({ ...beat, isRunning: false });
    return { after: "after 20 s it is not running, last seen learning at step 12" };
  },
);

test("a stopped trainer is not running, and only the newest trainers are kept", async () => {
  for (let i = 0; i < 12; i += 1) {
    const beat = { trainerId: `t${i}`, step: i, activity: "waiting" } as const;
    await noteHeartbeat(rows, beat, 1000 + i);
  }
  await noteHeartbeat(rows, { trainerId: "t11", step: 11, activity: "stopped" }, 2000);
  const { trainers } = await readHealth(rows, 2000);
  expect(trainers).toHaveLength(8);
  expect(trainers[0]).toMatchObject({ trainerId: "t11", isRunning: false });
  expect(trainers[1]).toMatchObject({ trainerId: "t10", isRunning: true });
});
