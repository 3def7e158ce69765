import { seededRandom } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { signFlipTest, twoSidedSignFlipTest } from "./sign-flip.ts";

test("p-values of small cases match a count by hand", () => {
  // Of 8 patterns, only the observed one reaches its sum.
  expect(signFlipTest([1, 2, 3])).toBe(1 / 8);
  // +3 +1 −2 = 2: reached by + + −, + − − … of the 8 sums 6, 4, 2, 0, 0, −2, −4, −6.
  expect(signFlipTest([3, 1, -2])).toBe(3 / 8);
  expect(signFlipTest([0, 0])).toBe(1);
});

test("negating all differences reverses the test", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 9 }),
      (all) => {
        const p = signFlipTest(all);
        const q = signFlipTest(all.map((each) => -each));
        // Patterns that tie with the observed sum count on both sides.
        return p > 0 && p <= 1 && p + q >= 1;
      },
    ),
  );
});

test("without an effect, p is at most 0.1 in about a tenth of the cases", () => {
  const random = seededRandom(1);
  const draw = (): number => random() - 0.5;
  const below = Array.from({ length: 2000 }, () =>
    signFlipTest(Array.from({ length: 8 }, draw)),
  ).filter((p) => p <= 0.1).length;
  expect(below / 2000).toBeGreaterThan(0.07);
  expect(below / 2000).toBeLessThan(0.13);
});

test("an empty list of differences is refused", () => {
  expect(() => signFlipTest([])).toThrow(/1 to 20/);
});

test("the two-sided p is the same for opposite differences and at most 1", () => {
  expect(twoSidedSignFlipTest([1, 2, 3])).toBe(2 / 8);
  expect(twoSidedSignFlipTest([-1, -2, -3])).toBe(2 / 8);
  expect(twoSidedSignFlipTest([0, 0])).toBe(1);
});
