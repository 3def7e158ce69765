import { expect, test } from "vitest";
import { pairedDifference } from "./paired-difference.ts";

const outcomes = (successes: number, trials: number): boolean[] =>
  Array.from({ length: trials }, (_, index) => index < successes);

test("eight gains and two losses in 20 tasks have Agresti and Min's interval", () => {
  const baseline = [...outcomes(2, 10), ...outcomes(5, 10)];
  const candidate = [...outcomes(2, 10).map((success) => !success), ...outcomes(5, 10)];
  // (8.5 − 2.5) / 22 ± 1.96 · √((11/22 − (6/22)²) / 22).
  const { interval } = pairedDifference(baseline, candidate);
  expect(interval.low).toBeCloseTo(0.000113571, 9);
  expect(interval.high).toBeCloseTo(0.545340974, 9);
});

test("an interval of differences stays within −1 and 1", () => {
  const [none, all] = [outcomes(0, 3), outcomes(3, 3)];
  const gain = pairedDifference(none, all);
  expect(gain.interval).toEqual({ low: expect.closeTo(0.0185807, 6), high: 1 });
  const loss = pairedDifference(all, none);
  expect(loss.interval).toEqual({ low: -1, high: expect.closeTo(-0.0185807, 6) });
  // 2 · (½)³: each of three disagreements had an even chance.
  expect(gain.pValue).toBeCloseTo(0.25, 12);
});
