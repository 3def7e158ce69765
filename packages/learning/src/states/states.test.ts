import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { expectClose } from "../close.fixture.ts";
import {
  addOpponent,
  drawOpponent,
  type OpponentPool,
  opponentPool,
  recordGame,
} from "./opponent-pool.ts";
import { fitProgress, progressEstimator, stepContributions } from "./progress-estimator.ts";
import { putRest, rehearse, restBuffer } from "./rest-buffer.ts";
import { averagedWeights, type NamedWeights } from "./slow-copy.ts";
import { storeSuccess, successBuffer, withStoredSuccess } from "./success-buffer.ts";
import { observeTask, passRateOf, taskStatistics } from "./task-statistics.ts";

test("a task's posterior starts at the prior and narrows towards the observed mean", () => {
  const empty = taskStatistics({ retention: 1 });
  expect(passRateOf(empty, "a", 0)).toEqual({ mean: 0.5, variance: 1 / 12, attempts: 0 });
  const seen = observeTask(empty, "a", [1, 1, 0, 1], 0);
  const { mean, variance } = passRateOf(seen, "a", 0);
  expect(mean).toBeCloseTo(4 / 6, 12);
  expect(variance).toBeCloseTo((4 * 2) / (36 * 7), 12);
  expect(passRateOf(seen, "toString", 0).mean).toBe(0.5);
  expect(JSON.parse(JSON.stringify(seen))).toEqual(seen);
});

test("old evidence decays, so a solved task returns when the policy changes", () => {
  const solved = observeTask(taskStatistics({ retention: 0.5 }), "a", [1, 1, 1, 1], 0);
  expect(passRateOf(solved, "a", 0).mean).toBeCloseTo(5 / 6, 12);
  expect(passRateOf(solved, "a", 2).mean).toBeCloseTo(2 / 3, 12);
  expect(passRateOf(solved, "a", 60).mean).toBeCloseTo(0.5, 6);
  expect(() => observeTask(solved, "a", [2], 1)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

const stored = storeSuccess(successBuffer<string>({ perTask: 2, mostAge: 5 }), "a", {
  item: "win",
  reward: 1,
  step: 3,
});

test("a stored success joins only a group without a success", () => {
  const inject = (rewards: readonly number[], task: string, step: number) =>
    withStoredSuccess(stored, task, ["x", "y"], rewards, step, () => 0);
  expect(inject([0, 0], "a", 4)).toEqual({ items: ["x", "win"], rewards: [0, 1], injected: true });
  expect(inject([0, 1], "a", 4).injected).toBe(false);
  expect(inject([0, 0], "b", 4).injected).toBe(false);
  expect(inject([0, 0], "a", 9).injected).toBe(false);
});

test("the buffer keeps the newest successes of each task", () => {
  const full = [4, 5].reduce(
    (buffer, step) => storeSuccess(buffer, "a", { item: `win${step}`, reward: 1, step }),
    stored,
  );
  expect(full.tasks["a"]!.map(({ item }) => item)).toEqual(["win4", "win5"]);
});

test("rehearsal draws from the kept items, which stay in the buffer", () => {
  const buffer = putRest(putRest(restBuffer<string>(3), ["a", "b"], 0), ["c", "d"], 5);
  expect(new Set(rehearse(buffer, 3, mulberry32(1)))).toEqual(new Set(["b", "c", "d"]));
});

test("harder opponents are drawn more often; a full pool drops the easiest", () => {
  const played = (pool: OpponentPool, version: string, result: number) =>
    Array.from({ length: 8 }).reduce<OpponentPool>(
      (state) => recordGame(state, version, result),
      pool,
    );
  let pool = ["v1", "v2"].reduce(addOpponent, opponentPool(2));
  pool = played(played(pool, "v1", 1), "v2", 0);
  const random = mulberry32(4);
  const drawn = Array.from({ length: 200 }, () => drawOpponent(pool, random));
  expect(drawn.filter((version) => version === "v2").length).toBeGreaterThan(180);
  expect(addOpponent(pool, "v3").opponents.map(({ version }) => version)).toEqual(["v2", "v3"]);
  expect(() => drawOpponent(opponentPool(2), random)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("a slow copy is the exponential moving average of the weights", () => {
  const weights = (value: number): NamedWeights => new Map([["w", Float64Array.of(value, -value)]]);
  let slow = weights(0);
  for (const value of [1, 2]) slow = averagedWeights(slow, weights(value), 0.5);
  expectClose(slow.get("w")!, [0.5 * 0.5 + 1, -(0.5 * 0.5 + 1)]);
  expectClose(averagedWeights(weights(3), weights(9), 1).get("w")!, [3, -3]);
  expect(() => averagedWeights(weights(0), new Map(), 0.5)).toThrow(
    expect.objectContaining({ code: "SHAPE_MISMATCH" }),
  );
});

test("the progress estimator finds the decisive step from outcomes", () => {
  // Feature 1 of a step decides the outcome, feature 0 is always there.
  const random = mulberry32(9);
  const runs = Array.from({ length: 200 }, () => {
    const decisive = random() < 0.5 ? Math.floor(random() * 4) : -1;
    return Array.from({ length: 4 }, (_, t) => [1, t === decisive ? 1 : 0]);
  });
  const outcomes = runs.map((steps) => (steps.some(([, decides]) => decides === 1) ? 1 : 0));
  let estimator = progressEstimator(2);
  for (let i = 0; i < 500; i += 1) estimator = fitProgress(estimator, runs, outcomes, 0.05);
  const contributions = stepContributions(estimator, [
    [1, 0],
    [1, 1],
    [1, 0],
    [1, 0],
  ]);
  expect(contributions[1]).toBeGreaterThan(0.9);
  expect(contributions.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 2);
  // The control: shuffled outcomes teach it no decisive step.
  let confused = progressEstimator(2);
  const dealt = outcomes.map((_, i) => outcomes[(i * 77 + 13) % outcomes.length]!);
  for (let i = 0; i < 500; i += 1) confused = fitProgress(confused, runs, dealt, 0.05);
  expect(Math.abs(stepContributions(confused, [[0, 1]])[0]!)).toBeLessThan(0.3);
});
