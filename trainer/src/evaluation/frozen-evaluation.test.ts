import { expect, test } from "vitest";
import { doesNotFall } from "./frozen-evaluation.ts";

/**
 * `gained` tasks solved only by the candidate, `lost` only by the stable version, `both` by both.
 */
function outcomes(gained: number, lost: number, both: number): [boolean[], boolean[]] {
  const candidate = [
    ...Array.from({ length: gained }, () => true),
    ...Array.from({ length: lost }, () => false),
    ...Array.from({ length: both }, () => true),
  ];
  const stable = candidate.map((success, i) => (i < gained + lost ? !success : true));
  return [candidate, stable];
}

test.each([
  ["better", 10, 2, 88, true],
  ["equal", 5, 5, 90, true],
  ["worse by no more than the margin", 5, 7, 88, true],
  ["worse by more than the margin, though not significantly", 5, 8, 87, false],
  ["significantly worse", 0, 6, 994, false],
])("a candidate that is %s: %i gained, %i lost", (_, gained, lost, both, promotes) => {
  expect(doesNotFall(...outcomes(gained, lost, both), 0.02)).toBe(promotes);
});
