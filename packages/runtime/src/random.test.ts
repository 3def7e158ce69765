import fc from "fast-check";
import { expect, test } from "vitest";
import { createRandom } from "./random.ts";

/** The published recurrence of sfc32, in arithmetic that cannot overflow. */
function twin(seed: number): () => number {
  const mask = 0xffff_ffffn;
  let [a, b, c, counter] = [0n, BigInt(seed), 0n, 1n];
  const next = (): bigint => {
    const out = (a + b + counter) & mask;
    counter = (counter + 1n) & mask;
    a = b ^ (b >> 9n);
    b = (c + (c << 3n)) & mask;
    c = ((((c << 21n) & mask) | (c >> 11n)) + out) & mask;
    return out;
  };
  for (let round = 0; round < 15; round++) next();
  return () => {
    const high = next() >> 5n;
    const low = next() >> 6n;
    return Number((high << 26n) | low) / 2 ** 53;
  };
}

test("numbers are those of sfc32 for every seed", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (seed) => {
      const [random, expected] = [createRandom(seed), twin(seed)];
      for (let i = 0; i < 20; i++) expect(random()).toBe(expected());
    }),
  );
});

test("numbers of neighboring seeds are uniform and unrelated", () => {
  const count = 20_000;
  const first = Array.from({ length: count }, (_, seed) => createRandom(seed)());
  const mean = first.reduce((sum, x) => sum + x, 0) / count;
  const lagged = first.slice(1).reduce((sum, x, i) => sum + (x - 0.5) * ((first[i] ?? 0) - 0.5), 0);
  expect(Math.abs(mean - 0.5)).toBeLessThan(5 * Math.sqrt(1 / 12 / count));
  expect(Math.abs(lagged / count)).toBeLessThan((5 * (1 / 12)) / Math.sqrt(count));
  expect(Math.min(...first)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...first)).toBeLessThan(1);
});
