import { appendFile, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Arm, armKey, type RunRecord } from "./arm.ts";
import { openRunLog } from "./run-log.ts";

const arm: Arm = {
  recipe: "artist",
  settings: { steps: 10, epsilon: 0.2 },
  environment: "bandit",
  seed: 3,
  budget: { sampledTokens: 100, toolCalls: 10 },
  evaluationTasks: 3,
};
const outcome = (...successes: boolean[]) => ({
  successes,
  toolCallsMean: 1.5,
  sampledTokensMean: 20,
});

function record(seed: number): RunRecord {
  const one = { ...arm, seed };
  return {
    ...one,
    key: armKey(one),
    baseModel: "0",
    endedAt: "2026-01-01T00:00:00.000Z",
    base: outcome(true, false, false),
    final: outcome(true, true, false),
    parameters: "0",
    curve: [{ sampledTokens: 0, toolCalls: 0, success: 1 / 3 }],
    spent: { sampledTokens: 101, toolCalls: 9, episodes: 8, turns: 9, seconds: 1, cpuSeconds: 1 },
  };
}

test("the key of a run depends on its definition, not on the order of its settings", () => {
  expect(armKey({ ...arm, settings: { epsilon: 0.2, steps: 10 } })).toBe(armKey(arm));
  for (const other of [
    { ...arm, seed: 4 },
    { ...arm, environment: "form" },
    { ...arm, settings: { steps: 10, epsilon: 0.3 } },
    { ...arm, budget: { sampledTokens: 100, toolCalls: 11 } },
    { ...arm, evaluationTasks: 4 },
  ]) {
    expect(armKey(other)).not.toBe(armKey(arm));
  }
});

test("a log returns what was appended without a truncated last line, and can be continued", async () => {
  const path = join(await mkdtemp(join(tmpdir(), "run-log-")), "runs.jsonl");
  const log = await openRunLog(path);
  await log.append(record(1));
  const failed = { ...arm, seed: 2, key: armKey({ ...arm, seed: 2 }), error: "no" };
  await log.append(failed);
  await appendFile(path, '{"key":"cut');
  const again = await openRunLog(path);
  expect([...again.records.values()]).toEqual([record(1)]);
  expect([...again.failures.values()]).toEqual([failed]);
  await again.append(record(2));
  const last = await openRunLog(path);
  expect([...last.records.values()]).toEqual([record(1), record(2)]);
  // An arm that failed once and later finished has not failed.
  expect(last.failures.size).toBe(0);
  expect((await readFile(path, "utf8")).endsWith("}\n")).toBe(true);
});

test("an invalid line in the middle is refused with its line number", async () => {
  const path = join(await mkdtemp(join(tmpdir(), "run-log-")), "runs.jsonl");
  await appendFile(path, `${JSON.stringify({ ...arm, key: "k", error: "no" })}\nnonsense\n`);
  await expect(openRunLog(path)).rejects.toThrow(/:2 is not a JSON object/);
});
