/** Metrics of runs on disk: a row per step, event files, and what a resumed run discards. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { RunEvent } from "../loop/run-event.ts";
import { RunSpending } from "../loop/run-spending.ts";
import { fileVersionRecord, restartRecord, scalarsRecord } from "./event-file.ts";
import { openEventWriter } from "./event-writer.ts";
import { createMetricsLog } from "./metrics-log.ts";
import { openRunEvents } from "./run-events.ts";
import { openRunMetrics, withTensorBoard } from "./run-metrics.ts";

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-metrics-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function linesOf(folder: string): Promise<{ [name: string]: unknown }[]> {
  const text = await readFile(join(folder, "metrics.jsonl"), "utf8");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as never]));
}

const eventFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith("events.out.tfevents."));

test("the numbers of a step are one row, and a run that starts over discards earlier rows", async () => {
  const folder = await temporary();
  for (const loss of [1, 2]) {
    const metrics = await openRunMetrics(folder, { tensorboard: false, from: 0 });
    metrics.step(0, { heldOutSuccess: 0.1 });
    metrics.step(1, { loss });
    metrics.step(1, { heldOutSuccess: 0.2 });
    metrics.step(2, { loss: loss + 1 });
    await metrics.settled();
  }
  expect((await linesOf(folder)).map(({ step, metrics }) => [step, metrics])).toEqual([
    [0, { heldOutSuccess: 0.1 }],
    [1, { loss: 2, heldOutSuccess: 0.2 }],
    [2, { loss: 3 }],
  ]);
  expect(await eventFiles(folder)).toEqual([]);
});

test("a resumed run keeps earlier rows and writes its own event file", async () => {
  const folder = await temporary();
  const first = await openRunMetrics(folder, { tensorboard: true, from: 0 });
  first.step(1, { loss: 1 });
  await first.settled();
  const second = await openRunMetrics(folder, { tensorboard: true, from: 1 });
  second.step(1, { loss: 5 });
  second.step(2, { loss: 0.5 });
  await second.settled();
  expect((await linesOf(folder)).map(({ step }) => step)).toEqual([1, 2]);
  expect((await eventFiles(folder)).length).toBeGreaterThanOrEqual(1);
});

test("an event file begins with its version and marks where a process resumed", async () => {
  const folder = await temporary();
  const clock = () => 1_700_000_000_250;
  const { path, write } = await openEventWriter(folder, { from: 7, now: clock });
  await write(8, { loss: 0.5, bad: Number.NaN });
  await write(9, { bad: Infinity });
  const seconds = 1_700_000_000.25;
  expect(await readFile(path)).toEqual(
    Buffer.concat([
      fileVersionRecord(seconds),
      restartRecord(seconds, 8),
      scalarsRecord(seconds, 8, { loss: 0.5 }),
    ]),
  );
});

test("rows that a trainer sends again are written once", async () => {
  const folder = await temporary();
  const log = await withTensorBoard(createMetricsLog(join(folder, "metrics.jsonl")), folder, {
    tensorboard: true,
    from: 0,
  });
  const row = (step: number) => ({ step, at: "2026-01-01T00:00:00.000Z", metrics: { loss: step } });
  await log.append([row(1), row(2)]);
  await log.append([row(2), row(3)]);
  const [name = ""] = await eventFiles(folder);
  const text = (await readFile(join(folder, name))).toString("latin1");
  expect(text.match(/train\/loss/g)).toHaveLength(3);
  expect(await linesOf(folder)).toHaveLength(3);
});

const { soFar: spent } = new RunSpending();
const step = (nth: number): RunEvent => ({
  event: "step",
  stage: "learn",
  step: nth,
  steps: 4,
  spent,
  metrics: { loss: nth },
});
const evaluated: RunEvent = {
  event: "evaluated",
  stage: "learn",
  step: 2,
  heldOut: { successes: [true, false], toolCallsMean: 1, sampledTokensMean: 9 },
};

test("events of a run are on disk at once, and a resume discards those after the last save", async () => {
  const folder = await temporary();
  const first = await openRunEvents(folder, [], true);
  for (const event of [step(1), step(2), evaluated]) first.note(event);
  await first.settled();
  expect(await linesOf(folder)).toEqual([step(1), step(2), evaluated]);
  await first.replace([step(1)]);
  first.note(step(2));
  await first.settled();
  expect(await linesOf(folder)).toEqual([step(1), step(2)]);
  // Killed here, with step 1 saved.
  const second = await openRunEvents(folder, [step(1)], true);
  expect(await linesOf(folder)).toEqual([step(1)]);
  second.note(step(2));
  await second.settled();
  expect(await linesOf(folder)).toEqual([step(1), step(2)]);
  const all = await Promise.all(
    (await eventFiles(folder)).map(async (name) => readFile(join(folder, name), "latin1")),
  );
  expect(all.join("")).toContain("heldOut/success");
  expect(all.join("")).toContain("spent/sampledTokens");
});
