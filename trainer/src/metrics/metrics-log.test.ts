import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createMetricsLog } from "./metrics-log.ts";

const row = (step: number): { step: number; at: string; metrics: { loss: number } } => ({
  step,
  at: "2026-01-01T00:00:00.000Z",
  metrics: { loss: step / 10 },
});

test("each step is written once, even if a later process sends it again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-metrics-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "deep", "metrics.jsonl");
  await createMetricsLog(path).append([row(1), row(2)]);
  await appendFile(path, '{"step":3,"at":');
  await createMetricsLog(path).append([row(2), row(3)]);
  await createMetricsLog(path).append([row(3)]);
  const whole = (await readFile(path, "utf8"))
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as unknown);
  expect(whole).toEqual([row(1), row(2), row(3)]);
});
