import { expect, test } from "vitest";
import { moderatedTests } from "./moderated-t.ts";
import { meanAboveZero } from "./student-t.ts";

// Smyth's moments, written out in plain Python with trigamma inverted by Newton's method as limma does.
test("different variances are shrunk towards a common one as in limma", () => {
  const tests = moderatedTests([
    [0.1, 0.14, 0.12, 0.2],
    [0, 0.3, -0.2, 0.1],
    [0.05, 0.06, 0.04, 0.05],
    [0.4, -0.5, 0.2, 0.9],
    [0.02, 0.01, 0.04, 0.03],
  ]);
  const expected = [
    [0.14, 0.020195520582559003, 6.93223031452356, 0.0016595619171240826],
    [0.05, 0.09509364095365729, 0.5257975138880935, 0.31485996910089964],
    [0.05, 0.005747208135797613, 8.699876325787681, 0.0007609186563682802],
    [0.25, 0.2648131190048113, 0.9440619896005146, 0.2020279140399751],
    [0.025, 0.007338543129166999, 3.4066707192382153, 0.015958891818278448],
  ];
  for (const [i, [mean = 0, error = 0, t = 0, pValue = 0]] of expected.entries()) {
    expect(tests[i]?.mean).toBeCloseTo(mean, 12);
    expect((tests[i]?.error ?? 0) / error).toBeCloseTo(1, 6);
    expect((tests[i]?.t ?? 0) / t).toBeCloseTo(1, 6);
    expect((tests[i]?.pValue ?? 0) / pValue).toBeCloseTo(1, 6);
    expect(tests[i]?.degrees).toBeCloseTo(3.6016457096324106, 6);
  }
});

test("equal variances are replaced by their mean", () => {
  const alike = [0.1, 0.2, 0.3, 0.4].map((by) => [by, by + 1, by + 2]);
  for (const { error, degrees } of moderatedTests(alike)) {
    expect(error).toBeCloseTo(Math.sqrt(1 / 3), 12);
    expect(degrees).toBe(Infinity);
  }
});

test("two comparisons are too few to shrink", () => {
  const two = [
    [1, 2, 3],
    [1, 1.1, 1.3],
  ];
  expect(moderatedTests(two)).toEqual(two.map(meanAboveZero));
});

test("a comparison whose seeds tie still has an error", () => {
  const spread = [0.1, 0.4, 0.2, 0.3, 0.2].map((by, i) => [by, by + 0.1 * (i + 1), by - 0.1 * i]);
  const [tied] = moderatedTests([[0.1, 0.1, 0.1], ...spread]);
  expect(tied?.error).toBeGreaterThan(0);
  expect(tied?.pValue).toBeGreaterThan(0);
});
