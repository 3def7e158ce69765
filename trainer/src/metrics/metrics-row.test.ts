/** The reader of metrics accepts the logs of earlier releases, which are in `testdata` as they wrote them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lineOf, loggedRows } from "./metrics-row.ts";

const ROOT = join(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(path, "utf8");
const stored = (name: string) => read(join(import.meta.dirname, "testdata", name));
const objects = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { [name: string]: unknown });

test("a log of train by 4f483058: steps are counted over all stages, and nothing is lost", () => {
  const text = stored("train-4f483058.jsonl");
  const rows = loggedRows(text, "metrics.jsonl");
  expect(rows.map(({ event, stage, step, stageStep }) => [event, stage, step, stageStep])).toEqual([
    ["evaluated", "base", 0, 0],
    ["step", "rewards", 1, 1],
    ["evaluated", "rewards", 1, 1],
    ["step", "rewards", 2, 2],
    ["evaluated", "rewards", 2, 2],
  ]);
  const [, step] = objects(text);
  expect(rows[1]).toMatchObject({
    at: null,
    stageSteps: step?.["steps"],
    spent: step?.["spent"],
    metrics: step?.["metrics"],
  });
  expect(rows[4]).toMatchObject({
    successes: [false, false, false],
    metrics: { success: 0, toolCallsMean: 0, sampledTokensMean: 96 },
  });
});

test("a log of train with several stages goes on counting in the second one", () => {
  const [, first] = objects(stored("train-4f483058.jsonl"));
  const lines = [first, { ...first, stage: "more", step: 1 }].map((each) => JSON.stringify(each));
  const rows = loggedRows(lines.join("\n"), "metrics.jsonl");
  expect(rows.map(({ stage, step, stageStep }) => [stage, step, stageStep])).toEqual([
    ["rewards", 1, 1],
    ["more", 2, 1],
  ]);
});

test("a log of simulate by 4f483058: evaluations become rows of their own", () => {
  const text = stored("simulate-4f483058.jsonl");
  const rows = loggedRows(text, "metrics.jsonl");
  expect(rows.map(({ event, step }) => [event, step])).toEqual([
    ["evaluated", 0],
    ["step", 1],
    ["step", 2],
    ["evaluated", 2],
    ["step", 3],
    ["evaluated", 3],
  ]);
  const [base, first] = objects(text) as [
    { metrics: { heldOutSuccess: number } },
    { at: string; metrics: object },
  ];
  expect(rows[0]?.metrics).toEqual({ success: base.metrics.heldOutSuccess });
  expect(rows[1]).toEqual({ event: "step", step: 1, at: first.at, metrics: first.metrics });
});

test("the committed log of the measured loop is readable", () => {
  const path = join(ROOT, "docs/evidence/loop-metrics.jsonl");
  const rows = loggedRows(read(path), path);
  const lines = objects(read(path));
  expect(rows.map(({ event, ...row }) => [event, row])).toEqual(
    lines.map((line) => ["step", line]),
  );
});

test.each(["train-4f483058.jsonl", "simulate-4f483058.jsonl"])(
  "%s is the same after it is written in the present format",
  (name) => {
    const rows = loggedRows(stored(name), name);
    expect(loggedRows(rows.map(lineOf).join(""), name)).toEqual(rows);
  },
);

test("a number that is not finite is stored as null and read as NaN", () => {
  const at = "2026-01-01T00:00:00.000Z";
  const line = lineOf({ event: "step", step: 1, at, metrics: { loss: Number.NaN } });
  expect(line).toContain('"loss":null');
  expect(loggedRows(line, "metrics.jsonl")[0]?.metrics).toEqual({ loss: Number.NaN });
});

test("a row of a later release and a line of something else are refused by name", () => {
  const read = (line: string) => () => loggedRows(`\n${line}\n`, "runs/a/metrics.jsonl");
  expect(read('{"formatVersion":3,"step":1}')).toThrow(/runs\/a\/metrics.jsonl have version 3/);
  expect(read('{"formatVersion":2,"step":1}')).toThrow(/got event .*at line 2/);
  expect(read('{"event":"step","step":1}')).toThrow(/at line 2/);
  expect(read('["step"]')).toThrow(/at line 2/);
  expect(read('{"step":1,"at":')()).toEqual([]);
});
