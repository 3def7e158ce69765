/** Learning means a gain over the base at its best temperature, by an active mechanism. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { RunRecord } from "./arm.ts";
import { type ControlLog, openControlLog } from "./control-log.ts";
import { hasLearned } from "./recipe-page.ts";
import { summarize } from "./recipe-summary.ts";

const SEEDS = [1, 2, 3, 4, 5];
const TASKS = 100;

/** `solved` of 100 tasks, different ones for each seed. */
const solving = (solved: number, seed: number): boolean[] =>
  Array.from({ length: TASKS }, (_, i) => (i + 7 * seed) % TASKS < solved);

const outcome = (solved: number, seed: number) => ({
  toolCallsMean: 1,
  sampledTokensMean: 10,
  successes: solving(solved, seed),
});

function run(recipe: string, seed: number, solved: number, more: object = {}): RunRecord {
  return {
    recipe,
    seed,
    settings: {},
    environment: "calculator",
    evaluationTasks: TASKS,
    budget: { sampledTokens: 1000, toolCalls: 100 },
    key: `${recipe}/${seed}`,
    baseModel: "b".repeat(64),
    endedAt: "2026-11-23T00:00:00.000Z",
    curve: [],
    base: outcome(70, seed),
    final: outcome(solved, seed),
    parameters: `${solved} ${seed}`,
    spent: {
      episodes: 1,
      sampledTokens: 1000 + solved,
      toolCalls: 9,
      turns: 9,
      seconds: 1,
      cpuSeconds: 1,
    },
    ...more,
  };
}

/** A base that solves 70 tasks at temperature 1 and 95 greedily. */
function sharpened(seed: number): ReadonlyMap<number, readonly boolean[]> {
  return new Map([
    [0, solving(95 + (seed % 2), seed)],
    [1, solving(70, seed)],
  ]);
}

async function controls(): Promise<ControlLog> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-controls-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "controls.jsonl");
  const written = await openControlLog(path);
  for (const seed of SEEDS) {
    const place = { environment: "calculator", seed, baseModel: "b".repeat(64) };
    await written.append({ ...place, evaluationTasks: TASKS, successes: sharpened(seed) });
  }
  // Read from disk: the comparison uses what the file stores.
  return openControlLog(path);
}

test("a recipe that only reaches its base's greedy success has not learned", async () => {
  const records = SEEDS.flatMap((seed) => [
    run("sharpens", seed, 94 + (seed % 3)),
    run("learns", seed, 99 + (seed % 2)),
  ]);
  const summaries = summarize(records, SEEDS, "artist", 2, await controls());
  const [sharpens, learns] = summaries;
  // At temperature 1 both are far above the base.
  expect(sharpens?.gain.mean).toBeGreaterThan(0.2);
  expect(sharpens?.control?.temperature).toBe(0);
  expect(sharpens && hasLearned(sharpens)).toBe(false);
  expect(learns && hasLearned(learns)).toBe(true);
  expect(learns?.gainOverControl?.mean).toBeCloseTo(0.04, 10);
});

test("a trained policy is evaluated at its own best temperature", async () => {
  const records = SEEDS.map((seed) =>
    run("sharper", seed, 90, {
      byTemperature: new Map([
        [0, solving(100, seed)],
        [1, solving(90, seed)],
      ]),
    }),
  );
  const [sharper] = summarize(records, SEEDS, "artist", 1, await controls());
  expect(sharper?.trained?.temperature).toBe(0);
  expect(sharper?.gainOverControl?.mean).toBeCloseTo(0.044, 10);
});

test("recipes with identical runs are no evidence, except for the reference", async () => {
  const records = SEEDS.flatMap((seed) => [
    run("artist", seed, 99),
    run("twin", seed, 99),
    run("other", seed, 98),
  ]);
  const [artist, twin, other] = summarize(records, SEEDS, "artist", 3, await controls());
  expect(twin?.sameAs).toEqual(["artist"]);
  expect(twin?.learned).toBeNull();
  expect(artist?.sameAs).toEqual([]);
  expect(artist?.learned).not.toBeNull();
  expect(other?.sameAs).toEqual([]);
});

test("equal outcomes with different parameters and cost are two mechanisms", async () => {
  const { spent } = run("artist", 1, 99);
  const dearer = { ...spent, sampledTokens: spent.sampledTokens + 1 };
  const records = SEEDS.flatMap((seed) => [
    run("artist", seed, 99, { parameters: "a".repeat(64) }),
    run("twin", seed, 99, { parameters: "b".repeat(64), spent: dearer }),
  ]);
  const [, twin] = summarize(records, SEEDS, "artist", 2, await controls());
  expect(twin?.sameAs).toEqual([]);
  expect(twin?.learned).not.toBeNull();
});

test.each([
  [1, ["artist"]],
  [0, []],
])("a row that equals another with %i of its seeds is the same as %j", async (equal, names) => {
  const records = SEEDS.flatMap((seed) => [
    run("artist", seed, 99),
    run("twin", seed, seed <= equal ? 99 : 98),
  ]);
  const [, twin] = summarize(records, SEEDS, "artist", 2, await controls());
  expect(twin?.sameAs).toEqual(names);
  expect(twin?.learned === null).toBe(equal > 0);
});

test("equal results at equal cost with one seed are not the same run if the parameters differ", async () => {
  const records = SEEDS.flatMap((seed) => [
    run("artist", seed, 99, { parameters: "a".repeat(64) }),
    run("twin", seed, seed === 1 ? 99 : 98, {
      parameters: "b".repeat(64),
      spent: run("artist", seed, 99).spent,
    }),
  ]);
  const [, twin] = summarize(records, SEEDS, "artist", 2, await controls());
  expect(twin?.sameAs).toEqual([]);
});

test("without a control there is no claim", async () => {
  const records = SEEDS.map((seed) => run("learns", seed, 100));
  const none = await openControlLog(join(tmpdir(), "waggle-no-such-controls.jsonl"));
  const [learns] = summarize(records, SEEDS, "artist", 1, none);
  expect(learns?.learned).toBeNull();
  expect(learns && hasLearned(learns)).toBe(false);
});
