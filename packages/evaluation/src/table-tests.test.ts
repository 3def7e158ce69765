import fc from "fast-check";
import { expect, test } from "vitest";
import { digamma, logGamma, trigamma } from "./gamma.ts";
import { holm } from "./holm.ts";
import { moderatedTests } from "./moderated-t.ts";
import { meanAboveZero, studentTail } from "./student-t.ts";

/** A generator in [0, 1); mulberry32. */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

test("the tail of Student's t is scipy 1.17's", () => {
  expect(studentTail(0, 4)).toBeCloseTo(0.5, 12);
  expect(studentTail(2.131846786, 4)).toBeCloseTo(0.05000000001836593, 12);
  expect(studentTail(14, 4) / 7.550570111090024e-5).toBeCloseTo(1, 9);
  expect(studentTail(3.2, 9.5) / 0.0050582712945174).toBeCloseTo(1, 9);
  expect(studentTail(-1.5, 3)).toBeCloseTo(0.8847080673775886, 12);
  expect(studentTail(11.5, 60) / 4.136981256395749e-17).toBeCloseTo(1, 8);
  expect(studentTail(1.959963984540054, Infinity)).toBeCloseTo(0.025, 6);
});

test("gamma's logarithm, digamma and trigamma are scipy's", () => {
  expect(logGamma(6)).toBeCloseTo(Math.log(120), 12);
  expect(digamma(2)).toBeCloseTo(0.42278433509846713, 11);
  expect(digamma(0.5)).toBeCloseTo(-1.9635100260214235, 11);
  expect(digamma(120)).toBeCloseTo(4.783319289118529, 11);
  expect(trigamma(2)).toBeCloseTo(0.64493407, 8);
  expect(trigamma(13.7)).toBeCloseTo(0.07572142, 8);
  expect(trigamma(0.5)).toBeCloseTo(4.9348022, 7);
});

test("Holm's example: a smaller p is never corrected to more than a larger one", () => {
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

test("alone, or where spreads have nothing in common, it is Student's test; among alike ones it gains degrees", () => {
  const differences = [0.1, 0.14, 0.12, 0.2, 0.09];
  expect(moderatedTests([differences])[0]).toEqual(meanAboveZero(differences));
  const alike = Array.from({ length: 20 }, (_, i) => differences.map((d) => d + i / 100));
  expect(moderatedTests(alike)[0]?.degrees).toBe(Infinity);
  const apart = Array.from({ length: 20 }, (_, i) => differences.map((d) => d * 10 ** (i / 2)));
  expect(moderatedTests(apart)[3]?.degrees).toBeLessThan(5);
  expect(moderatedTests([])).toEqual([]);
});

/**
 * Recipes that teach nothing: for each seed a policy that differs from the base by chance alone, and both
 * tried on the same tasks. `spread` says how far seeds move, alike for all recipes or by recipe.
 */
function nothingLearned(random: () => number, spread: (recipe: number) => number): number[][] {
  const [tasks, rate, agreement] = [150, 0.72, 0.8];
  return Array.from({ length: 40 }, (_, recipe) =>
    Array.from({ length: 5 }, () => {
      const moved = rate + spread(recipe) * normal(random);
      let difference = 0;
      for (let task = 0; task < tasks; task += 1) {
        // Equal draws: what both decide alike, and what each decides by itself.
        const shared = random();
        const own = random() < agreement ? shared : random();
        difference += Number(own < moved) - Number(shared < rate);
      }
      return difference / tasks;
    }),
  );
}

test.each([
  ["seeds do not move", () => 0],
  ["seeds move alike", () => 0.03],
  ["recipes differ tenfold in how far seeds move", (recipe: number) => 0.01 * 10 ** (recipe / 40)],
] as const)("false positives keep to the level where %s", (_, spread) => {
  const random = uniform(11);
  const [tables, level] = [120, 0.01];
  let [each, any] = [0, 0];
  for (let table = 0; table < tables; table += 1) {
    const ps = moderatedTests(nothingLearned(random, spread)).map(({ pValue }) => pValue);
    each += ps.filter((p) => p <= level).length;
    if (holm(ps).some((p) => p <= level)) any += 1;
  }
  // 4800 tests: 48 expected, standard error 7. 120 tables: 1.2 expected with any at all.
  expect(each / (tables * 40)).toBeLessThan(0.015);
  expect(any).toBeLessThanOrEqual(5);
});

test("tasks shuffled within seeds would call chance learning: the control of the simulation", () => {
  const random = uniform(5);
  let found = 0;
  for (let table = 0; table < 10; table += 1) {
    for (const differences of nothingLearned(random, () => 0.08)) {
      // As a permutation of tasks has it: spread by tasks alone, about 2 · 0.2 · 0.72 · 0.28 a task.
      const error = Math.sqrt(0.081 / (150 * 5));
      const t = differences.reduce((sum, each) => sum + each, 0) / 5 / error;
      if (studentTail(t, Infinity) <= 0.01) found += 1;
    }
  }
  expect(found / 400).toBeGreaterThan(0.1);
});
