import { mulberry32, standardNormal } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { digamma, logGamma, trigamma } from "./gamma.ts";
import { holm } from "./holm.ts";
import { moderatedTests } from "./moderated-t.ts";
import { meanAboveZero, studentTail } from "./student-t.ts";

test("the tail of Student's t equals that of scipy 1.17", () => {
  expect(studentTail(0, 4)).toBeCloseTo(0.5, 12);
  expect(studentTail(2.131846786, 4)).toBeCloseTo(0.05000000001836593, 12);
  expect(studentTail(14, 4) / 7.550570111090024e-5).toBeCloseTo(1, 9);
  expect(studentTail(3.2, 9.5) / 0.0050582712945174).toBeCloseTo(1, 9);
  expect(studentTail(-1.5, 3)).toBeCloseTo(0.8847080673775886, 12);
  expect(studentTail(11.5, 60) / 4.136981256395749e-17).toBeCloseTo(1, 8);
  expect(studentTail(1.959963984540054, Infinity)).toBeCloseTo(0.025, 6);
});

test("log-gamma, digamma and trigamma equal those of scipy", () => {
  expect(logGamma(6)).toBeCloseTo(Math.log(120), 12);
  expect(digamma(2)).toBeCloseTo(0.42278433509846713, 11);
  expect(digamma(0.5)).toBeCloseTo(-1.9635100260214235, 11);
  expect(digamma(120)).toBeCloseTo(4.783319289118529, 11);
  expect(trigamma(2)).toBeCloseTo(0.64493407, 8);
  expect(trigamma(13.7)).toBeCloseTo(0.07572142, 8);
  expect(trigamma(0.5)).toBeCloseTo(4.9348022, 7);
});

test("Holm-adjusted p-values match his example and are between p and n·p", () => {
  const adjusted = holm([0.01, 0.04, 0.03, 0.005]);
  for (const [i, p] of [0.03, 0.06, 0.06, 0.02].entries()) expect(adjusted[i]).toBeCloseTo(p, 12);
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 9 }), (ps) => {
      for (const [i, p] of holm(ps).entries()) {
        expect(p).toBeGreaterThanOrEqual(ps[i] as number);
        expect(p).toBeLessThanOrEqual(Math.min(1, ps.length * (ps[i] as number)) + 1e-12);
      }
    }),
  );
});

test("a single comparison gives Student's test, similar spreads add degrees of freedom, dissimilar ones do not", () => {
  const differences = [0.1, 0.14, 0.12, 0.2, 0.09];
  expect(moderatedTests([differences])[0]).toEqual(meanAboveZero(differences));
  const alike = Array.from({ length: 20 }, (_, i) => differences.map((d) => d + i / 100));
  expect(moderatedTests(alike)[0]?.degrees).toBe(Infinity);
  const apart = Array.from({ length: 20 }, (_, i) => differences.map((d) => d * 10 ** (i / 2)));
  expect(moderatedTests(apart)[3]?.degrees).toBeLessThan(5);
  expect(moderatedTests([])).toEqual([]);
});

/**
 * Differences for recipes that teach nothing: per seed, a policy that differs from the base only by chance,
 * with both tried on the same tasks. `spread` is how far seeds move, for all recipes or by recipe.
 */
function nothingLearned(random: () => number, spread: (recipe: number) => number): number[][] {
  const [tasks, rate, agreement] = [150, 0.72, 0.8];
  return Array.from({ length: 40 }, (_, recipe) =>
    Array.from({ length: 5 }, () => {
      const moved = rate + spread(recipe) * standardNormal(random);
      let difference = 0;
      for (let task = 0; task < tasks; task += 1) {
        // One draw decides both policies on most tasks, and separate draws on the others.
        const shared = random();
        const own = random() < agreement ? shared : random();
        difference += Number(own < moved) - Number(shared < rate);
      }
      return difference / tasks;
    }),
  );
}

test.each([
  ["seeds do not differ", () => 0],
  ["all seeds differ by the same amount", () => 0.03],
  [
    "the spread of seeds differs tenfold between recipes",
    (recipe: number) => 0.01 * 10 ** (recipe / 40),
  ],
] as const)("the false-positive rate stays at the level when %s", (_, spread) => {
  const random = mulberry32(11);
  const [tables, level] = [120, 0.01];
  let [each, any] = [0, 0];
  for (let table = 0; table < tables; table += 1) {
    const ps = moderatedTests(nothingLearned(random, spread)).map(({ pValue }) => pValue);
    each += ps.filter((p) => p <= level).length;
    if (holm(ps).some((p) => p <= level)) any += 1;
  }
  // 4800 tests: 48 expected, with standard error 7. 120 tables: 1.2 expected with any false positive.
  expect(each / (tables * 40)).toBeLessThan(0.015);
  expect(any).toBeLessThanOrEqual(5);
});

test("control: a permutation of tasks within seeds reports chance as learning", () => {
  const random = mulberry32(5);
  let found = 0;
  for (let table = 0; table < 10; table += 1) {
    for (const differences of nothingLearned(random, () => 0.08)) {
      // The spread such a permutation assumes, from tasks alone: about 2 · 0.2 · 0.72 · 0.28 per task.
      const error = Math.sqrt(0.081 / (150 * 5));
      const t = differences.reduce((sum, each) => sum + each, 0) / 5 / error;
      if (studentTail(t, Infinity) <= 0.01) found += 1;
    }
  }
  expect(found / 400).toBeGreaterThan(0.1);
});
