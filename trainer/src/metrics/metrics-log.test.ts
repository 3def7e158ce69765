/** The log of metrics on disk: each row once, event files, and what a run that goes on discards. */
import { appendFile, copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { RunSpending } from "../loop/run-spending.ts";
import { openMetricsLog } from "./metrics-log.ts";
import { type RunEvent, runEventRow } from "./run-event.ts";

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-metrics-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function linesOf(folder: string): Promise<{ [name: string]: unknown }[]> {
  const text = await readFile(join(folder, "metrics.jsonl"), "utf8");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as never]));
}

const curvesOf = async (folder: string): Promise<string> => {
  const names = (await readdir(folder)).filter((name) => name.startsWith("events.out.tfevents."));
  const files = await Promise.all(
    names.map(async (name) => readFile(join(folder, name), "latin1")),
  );
  return files.join("");
};

const at = "2026-01-01T00:00:00.000Z";
const row = (step: number, loss = step / 10) => ({
  event: "step" as const,
  step,
  at,
  metrics: { loss },
});

test("a row has a version, and a run that starts over discards earlier rows", async () => {
  const folder = join(await temporary(), "deep");
  for (const loss of [1, 2]) {
    const log = await openMetricsLog(folder, { from: null });
    log.add({ event: "evaluated", step: 0, at, metrics: { success: 0.1 } });
    log.add(row(1, loss));
    await log.settled();
  }
  expect(await linesOf(folder)).toEqual([
    { formatVersion: 2, event: "evaluated", step: 0, at, metrics: { success: 0.1 } },
    { formatVersion: 2, event: "step", step: 1, at, metrics: { loss: 2 } },
  ]);
  expect(await curvesOf(folder)).toBe("");
});

test("each row is written once, even if a later process sends it again", async () => {
  const folder = await temporary();
  const first = await openMetricsLog(folder, { tensorboard: true, from: 0 });
  for (const step of [1, 2]) first.add(row(step));
  await first.settled();
  await appendFile(join(folder, "metrics.jsonl"), '{"step":3,"at":');
  const second = await openMetricsLog(folder, { from: 2 });
  for (const step of [2, 3]) second.add(row(step));
  await second.settled();
  second.add(row(3));
  await second.settled();
  expect((await linesOf(folder)).map(({ step }) => step)).toEqual([1, 2, 3]);
  expect((await curvesOf(folder)).match(/train\/loss/g)).toHaveLength(2);
});

test("a run that goes on discards the rows after its last save and writes its own event file", async () => {
  const folder = await temporary();
  const first = await openMetricsLog(folder, { tensorboard: true, from: null });
  first.add({ event: "evaluated", step: 0, metrics: { success: 0.1 } });
  for (const step of [1, 2, 3]) first.add(row(step));
  first.add({ event: "evaluated", step: 3, metrics: { success: 0.5 } });
  await first.settled();
  const second = await openMetricsLog(folder, { tensorboard: true, from: 1 });
  second.add(row(2, 0.7));
  second.add({ event: "evaluated", step: 2, metrics: { success: 0.6 } });
  await second.settled();
  expect((await linesOf(folder)).map(({ event, step, metrics }) => [event, step, metrics])).toEqual(
    [
      ["evaluated", 0, { success: 0.1 }],
      ["step", 1, { loss: 0.1 }],
      ["step", 2, { loss: 0.7 }],
      ["evaluated", 2, { success: 0.6 }],
    ],
  );
});

test.each([
  ["train-4f483058.jsonl", ["evaluated 0", "step 1", "evaluated 1", "step 2"]],
  ["simulate-4f483058.jsonl", ["evaluated 0", "step 1", "step 2"]],
])("a run whose log an earlier release wrote goes on: %s", async (name, expected) => {
  const folder = await temporary();
  await copyFile(join(import.meta.dirname, "testdata", name), join(folder, "metrics.jsonl"));
  const log = await openMetricsLog(folder, { from: 1 });
  log.add(row(2));
  await log.settled();
  const lines = await linesOf(folder);
  expect(lines.map((line) => `${String(line["event"])} ${String(line["step"])}`)).toEqual(expected);
  expect(lines.every(({ formatVersion }) => formatVersion === 2)).toBe(true);
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

test("events of a recipe's run have the stage, what was spent and the outcomes", async () => {
  const folder = await temporary();
  const log = await openMetricsLog(folder, { tensorboard: true, from: null });
  log.add({ ...runEventRow(step(2), 5), at });
  log.add({ ...runEventRow(evaluated, 5), at });
  // Two stages can end at the same step.
  log.add({ ...runEventRow({ ...evaluated, stage: "merge" }, 5), at });
  await log.settled();
  const metrics = { success: 0.5, toolCallsMean: 1, sampledTokensMean: 9 };
  const successes = [true, false];
  const common = { formatVersion: 2, step: 5, at, stageStep: 2 };
  expect(await linesOf(folder)).toEqual([
    { ...common, event: "step", stage: "learn", stageSteps: 4, spent, metrics: { loss: 2 } },
    { ...common, event: "evaluated", stage: "learn", metrics, successes },
    { ...common, event: "evaluated", stage: "merge", metrics, successes },
  ]);
  const curves = await curvesOf(folder);
  for (const tag of ["learn/loss", "heldOut/success", "spent/sampledTokens"]) {
    expect(curves).toContain(tag);
  }
});

test("a log that cannot be read is refused if the run goes on, and replaced if it starts over", async () => {
  const folder = await temporary();
  const path = join(folder, "metrics.jsonl");
  await writeFile(path, '{"formatVersion":3}\n');
  await expect(openMetricsLog(folder, { from: 1 })).rejects.toMatchObject({
    code: "SCHEMA_VERSION_UNSUPPORTED",
  });
  await openMetricsLog(folder, { from: null });
  expect(await readFile(path, "utf8")).toBe("");
});
