import { expect, test } from "vitest";
import { MetricHistory } from "./metric-history.ts";

const row = (step: number, loss: number) => ({
  step,
  at: "2026-11-20T12:00:00.000Z",
  metrics: { loss },
});

test("steps that a resumed trainer repeated replace their rows, in order", () => {
  const history = new MetricHistory();
  history.add([row(2, 0.2), row(1, 0.1)]);
  history.add([row(2, 0.9), row(3, 0.3)]);
  expect(history.rows.map(({ step, metrics }) => [step, metrics["loss"]])).toEqual([
    [1, 0.1],
    [2, 0.9],
    [3, 0.3],
  ]);
});

test("the first request asks for everything, later ones overlap by some steps", () => {
  const history = new MetricHistory();
  expect(history.after).toBeUndefined();
  history.add([row(10, 0)]);
  expect(history.after).toBe(-1);
  history.add([row(200, 0)]);
  expect(history.after).toBe(150);
});
