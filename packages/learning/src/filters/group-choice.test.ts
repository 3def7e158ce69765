import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { expectClose } from "../close.fixture.ts";
import { resampledOnCorrect } from "./clean-correct.ts";
import { drawWeighted } from "../draw.ts";
import { horizonWeights } from "./long-tail.ts";
import { mixedGroups } from "./mixed-groups.ts";
import { bandWeights, tasksInBand } from "./pass-rate-band.ts";
import { pivotTurns } from "./pivot-variance.ts";
import { isCompensationStep, recomposed } from "./recompose.ts";
import { chooseByRisk, observeRisk, predictRisk, riskModel } from "./predicted-risk.ts";
import { toolBenefit } from "./tool-benefit.ts";

test("weighted draws do not repeat, are proportional, and never pick weight 0", () => {
  const random = mulberry32(1);
  const first = Array.from({ length: 4000 }, () => drawWeighted([1, 0, 3], 1, random)[0]);
  const share = first.filter((i) => i === 2).length / first.length;
  expect(Math.abs(share - 0.75)).toBeLessThan(0.03);
  expect(first).not.toContain(1);
  expect(drawWeighted([1, 0, 3], 3, random).toSorted((a, b) => a - b)).toEqual([0, 2]);
  expect(() => drawWeighted([-1], 1, random)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("groups with equal rewards are dropped", () => {
  const { kept, dropped } = mixedGroups([[1, 0], [1, 1], [0]]);
  expect(kept).toEqual([0]);
  expect([...dropped]).toEqual([
    [1, "no-signal"],
    [2, "group-of-one"],
  ]);
});

test("a band's weight peaks at intermediate success and keeps a small chance outside", () => {
  expectClose(bandWeights([0, 0.2, 0.5, 0.8, 1]), [0.05, 0.5, 1, 0.5, 0.05]);
  const drawn = Array.from({ length: 300 }, (_, seed) =>
    tasksInBand([0, 0.5, 1], 1, mulberry32(seed)),
  ).flat();
  expect(drawn.filter((i) => i === 1).length).toBeGreaterThan(240);
  expect(new Set(drawn).size).toBe(3);
  expect(() => bandWeights([0.5], { low: 0.9 })).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("turns with equal outcomes are dropped, turns at even odds stay", () => {
  expect(
    pivotTurns([
      [1, 1, 1],
      [1, 0, 1],
      [0, 0, 0],
    ]).kept,
  ).toEqual([1]);
});

const quality = (isCorrect: boolean, toolErrorRate: number) => ({
  isCorrect,
  toolErrorRate,
  formatErrorRate: 0,
});

test("kept successes have fewer tool errors; failures keep their distribution", () => {
  const rollouts = Array.from({ length: 16 }, (_, i) => quality(i < 8, (i % 4) / 4));
  const meanErrors = (isCorrect: boolean, sharpness: number) => {
    let [errors, count] = [0, 0];
    for (let seed = 0; seed < 400; seed += 1) {
      for (const i of resampledOnCorrect(rollouts, 8, mulberry32(seed), sharpness).kept) {
        if (rollouts[i]!.isCorrect !== isCorrect) continue;
        errors += rollouts[i]!.toolErrorRate;
        count += 1;
      }
    }
    return { errors: errors / count, count };
  };
  const mean = 0.375;
  expect(meanErrors(true, 1).errors).toBeLessThan(mean - 0.08);
  expect(Math.abs(meanErrors(false, 1).errors - mean)).toBeLessThan(0.03);
  expect(meanErrors(false, 1).count).toBe(4 * 400);
  // Control: with sharpness 0 successes keep their distribution too.
  expect(Math.abs(meanErrors(true, 0).errors - mean)).toBeLessThan(0.03);
});

test.each([
  ["all correct", true],
  ["all wrong", false],
])("a group that is %s keeps its size", (_, isCorrect) => {
  const rollouts = Array.from({ length: 6 }, () => quality(isCorrect, 1));
  expect(resampledOnCorrect(rollouts, 3, mulberry32(3)).kept).toHaveLength(3);
});

test("the priority batch has short successes and long failures; the rest goes to compensation", () => {
  const isCorrect = [true, true, false, false, true];
  const { priority, compensation } = recomposed(isCorrect, [9, 3, 2, 8, 5], 0.5);
  expect(priority).toEqual([1, 3, 4]);
  expect(compensation).toEqual([0, 2]);
  expect(recomposed(isCorrect, [9, 3, 2, 8, 5], 1).compensation).toEqual([]);
});

test("compensation steps become more frequent with progress, starting at none", () => {
  const share = (progress: number) => {
    const random = mulberry32(5);
    const steps = Array.from({ length: 1000 }, () => isCompensationStep(progress, 0.5, random));
    return steps.filter(Boolean).length / steps.length;
  };
  expect(share(0)).toBe(0);
  expect(share(0.5)).toBeGreaterThan(0.2);
  expect(Math.abs(share(1) - 0.5)).toBeLessThan(0.05);
});

test("the weight of a rollout is a power of its length, with mean 1", () => {
  expectClose(horizonWeights([1, 3], 1), [0.5, 1.5]);
  expectClose(horizonWeights([1, 3], 0), [1, 1]);
});

test("tool benefit labels a task by its groups with and without tools", () => {
  expect(toolBenefit([1, 1], [1, 1]).label).toBe("inside");
  expect(toolBenefit([1, 0], [0, 0])).toEqual({ label: "beyond", gain: 0.5 });
  expect(toolBenefit([0, 0], [0, 0]).label).toBe("hopeless");
  expect(toolBenefit([0, 0], [1, 0]).label).toBe("harmful");
  expect(() => toolBenefit([1], [])).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});

test("predicted and true difficulty correlate without running every task", () => {
  const random = mulberry32(11);
  const tasks = Array.from({ length: 200 }, () => [1, random(), random()]);
  const difficulty = (row: readonly number[]) => 0.1 + 0.6 * row[1]! + 0.2 * row[2]!;
  let model = riskModel(3);
  for (const row of tasks.slice(0, 30)) {
    model = observeRisk(model, row, difficulty(row) + (random() - 0.5) * 0.1);
  }
  const predictions = predictRisk(model, tasks);
  const unseen = tasks.slice(30).map(difficulty);
  const predicted = predictions.slice(30).map(({ mean }) => mean);
  expect(correlation(unseen, predicted)).toBeGreaterThan(0.9);
  // Control: a model without observations predicts 0.
  expect(predictRisk(riskModel(3), tasks).every(({ mean }) => mean === 0)).toBe(true);
  expect(JSON.parse(JSON.stringify(model))).toEqual(model);
});

function correlation(a: readonly number[], b: readonly number[]): number {
  const center = (values: readonly number[]) => {
    const mean = values.reduce((x, y) => x + y, 0) / values.length;
    return values.map((value) => value - mean);
  };
  const [x, y] = [center(a), center(b)];
  const dot = (p: readonly number[], q: readonly number[]) =>
    p.reduce((sum, value, i) => sum + value * q[i]!, 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}

test("an observation moves the prediction to its value and narrows it, in closed form", () => {
  const model = observeRisk(riskModel(1, { priorVariance: 4, noise: 1 }), [2], 3);
  // Precision 1/4 + 4, shift 6: mean weight 6/4.25; at feature 2 mean 12/4.25, variance 4/4.25.
  const [prediction] = predictRisk(model, [[2]]);
  expect(prediction!.mean).toBeCloseTo(12 / 4.25, 12);
  expect(prediction!.variance).toBeCloseTo(4 / 4.25, 12);
});

test("tasks near the target come first, and curiosity prefers uncertain ones", () => {
  const predictions = [
    { mean: 0.5, variance: 0 },
    { mean: 0.8, variance: 0.25 },
    { mean: 0.9, variance: 0 },
  ];
  expect(chooseByRisk(predictions, 2, { curiosity: 0 })).toEqual([0, 1]);
  expect(chooseByRisk(predictions, 1, { curiosity: 1 })).toEqual([1]);
});
