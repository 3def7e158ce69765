import { WaggleError, sfc32 } from "@waggle/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sampleToken, scoreToken } from "./sampler.ts";
import type { SamplingDistribution } from "./sampler.ts";

const keptOf = (
  logits: Float32Array,
  sampling: SamplingDistribution,
  allowed: Uint32Array | null = null,
) => sampleToken(logits, sampling, 0, allowed).keptTokenIds;

/** Slow plain twin: full sort, probabilities as an array of V numbers. */
function twin(
  logits: readonly number[],
  { temperature, topK, topP }: SamplingDistribution,
  allowed: ReadonlySet<number> | null = null,
) {
  const candidates = logits.map((_, id) => id).filter((id) => allowed === null || allowed.has(id));
  const max = Math.max(...candidates.map((id) => logits[id] as number));
  const weights = logits.map((logit) => Math.exp((logit - max) / temperature));
  const byProbability = candidates.sort(
    (a, b) => (logits[b] as number) - (logits[a] as number) || a - b,
  );
  let kept = topK > 0 ? byProbability.slice(0, topK) : byProbability;
  const mass = kept.reduce((sum, id) => sum + (weights[id] as number), 0);
  if (topP < 1) {
    let running = 0;
    kept = kept.filter((id) => {
      const isKept = running < topP * mass;
      running += weights[id] as number;
      return isKept;
    });
  }
  const total = kept.reduce((sum, id) => sum + (weights[id] as number), 0);
  const probabilities = logits.map((_, id) =>
    kept.includes(id) ? (weights[id] as number) / total : 0,
  );
  const entropy = -probabilities.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0);
  return { kept: kept.sort((a, b) => a - b), probabilities, entropy };
}

/** Bits of ids. Bits beyond the vocabulary are set, as grammar libraries may leave them. */
function maskOf(ids: Iterable<number>, vocabularySize: number): Uint32Array {
  const mask = new Uint32Array(Math.ceil(vocabularySize / 32) + 1);
  const past = Array.from(
    { length: 32 * mask.length - vocabularySize },
    (_, i) => vocabularySize + i,
  );
  for (const id of [...ids, ...past]) mask[id >> 5] = (mask[id >> 5] as number) | (1 << (id % 32));
  return mask;
}

const FULL: SamplingDistribution = { temperature: 1, topK: 0, topP: 1 };

const logitsOf = fc
  .array(fc.float({ min: -30, max: 30, noNaN: true }), { minLength: 2, maxLength: 60 })
  .map((values) => Float32Array.from(values));

const distributionOf = fc.record({
  temperature: fc.double({ min: 0.1, max: 5, noNaN: true }),
  topK: fc.integer({ min: 0, max: 70 }),
  topP: fc.oneof(fc.constant(1), fc.double({ min: 0.01, max: 0.999, noNaN: true })),
});

describe("the kept set and its numbers", () => {
  test("equal those of a full sort", () => {
    fc.assert(
      fc.property(logitsOf, distributionOf, fc.integer({ min: 0 }), (logits, sampling, seed) => {
        const expected = twin([...logits], sampling);
        const random = sfc32(seed);
        const token = sampleToken(logits, sampling, random());
        const kept = token.keptTokenIds ?? logits.map((_, id) => id);
        expect([...kept]).toEqual(expected.kept);
        expect(token.behaviorLogProb).toBeCloseTo(
          Math.log(expected.probabilities[token.tokenId] as number),
          9,
        );
        expect(token.entropy).toBeCloseTo(expected.entropy, 9);
        const raw = twin([...logits], FULL).probabilities[token.tokenId] as number;
        expect(token.rawLogProb).toBeCloseTo(Math.log(raw), 9);
      }),
      { numRuns: 500 },
    );
  });

  test("are equal when scored with the recorded set and with a recomputed one", () => {
    fc.assert(
      fc.property(logitsOf, distributionOf, fc.integer({ min: 0 }), (logits, sampling, seed) => {
        const { tokenId, keptTokenIds, ...numbers } = sampleToken(logits, sampling, sfc32(seed)());
        expect(scoreToken(logits, tokenId, sampling, keptTokenIds)).toEqual(numbers);
        expect(scoreToken(logits, tokenId, sampling)).toEqual(numbers);
      }),
    );
  });

  test("under a mask equal those of a full sort of the allowed ids", () => {
    const wide = fc
      .array(fc.float({ min: -400, max: 400, noNaN: true }), { minLength: 2, maxLength: 100 })
      .map((values) => Float32Array.from(values));
    fc.assert(
      fc.property(
        fc.oneof(logitsOf, wide),
        distributionOf,
        fc.oneof(fc.constant(1), fc.constant(null)),
        fc.array(fc.nat(99), { minLength: 1, maxLength: 40 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (logits, sampling, temperature, ids, uniform) => {
          const distribution = { ...sampling, temperature: temperature ?? sampling.temperature };
          const allowed = new Set(ids.map((id) => id % logits.length));
          const expected = twin([...logits], distribution, allowed);
          const mask = maskOf(allowed, logits.length);
          const token = sampleToken(logits, distribution, uniform, mask);
          expect(allowed.has(token.tokenId)).toBe(true);
          const kept = token.keptTokenIds ?? [...allowed].sort((a, b) => a - b);
          expect([...kept]).toEqual(expected.kept);
          expect(token.behaviorLogProb).toBeCloseTo(
            Math.log(expected.probabilities[token.tokenId] as number),
            9,
          );
          expect(token.entropy).toBeCloseTo(expected.entropy, 9);
          const scored = scoreToken(logits, token.tokenId, distribution, kept);
          for (const name of ["behaviorLogProb", "rawLogProb", "entropy"] as const) {
            expect(scored[name]).toBeCloseTo(token[name], 9);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test("list no ids if only a mask restricts, as its grammar determines them", () => {
    const logits = Float32Array.of(1, 2, 3, 4);
    expect(sampleToken(logits, FULL, 0, maskOf([1, 2], 4)).keptTokenIds).toBeNull();
    expect(keptOf(logits, { ...FULL, topK: 2 }, maskOf([0, 1, 2], 4))).toEqual([1, 2]);
  });

  test("keep the lower id among equal logits", () => {
    const logits = Float32Array.of(1, 3, 3, 3, 0);
    expect(keptOf(logits, { ...FULL, topK: 2 })).toEqual([1, 2]);
    expect(keptOf(logits, { ...FULL, topP: 0.4 })).toEqual([1, 2]);
  });

  test("restrict nothing when top-k covers the vocabulary and top-p is 1", () => {
    expect(keptOf(Float32Array.of(1, 2, 3), { ...FULL, topK: 3 })).toBeNull();
  });

  test("apply top-p to the mass that top-k kept", () => {
    // exp: 4, 3, 2, 1; top-k 2 leaves 4/7 and 3/7, and 4/7 reaches 0.5
    const logits = Float32Array.of(Math.log(4), Math.log(3), Math.log(2), 0);
    expect(keptOf(logits, { ...FULL, topK: 2, topP: 0.5 })).toEqual([0]);
    expect(keptOf(logits, { ...FULL, topP: 0.5 })).toEqual([0, 1]);
  });

  test.each([1, 2, 3, 4, 5])("are correct beside ids without mass, %i in total", (count) => {
    const logits = Float32Array.from([3.4e38, -Infinity, 1, -3.4e38, 3.4e38].slice(0, count));
    for (const temperature of [0.01, 1, 100]) {
      const distribution = { ...FULL, temperature };
      const expected = twin([...logits], distribution);
      for (const [id, probability] of expected.probabilities.entries()) {
        const score = scoreToken(logits, id, distribution);
        // Below −700 the twin's probability is 0 in float64.
        const logProb = Math.max(-700, Math.log(probability));
        expect(Math.max(-700, score.behaviorLogProb)).toBeCloseTo(logProb, 12);
        expect(score.entropy).toBeCloseTo(expected.entropy, 12);
      }
    }
  });

  test("stay finite at logits far apart", () => {
    const logits = Float32Array.of(-1e30, 1e4, -1e4, Number.NEGATIVE_INFINITY);
    const token = sampleToken(logits, FULL, 0.999_999);
    expect(token).toMatchObject({ tokenId: 1, behaviorLogProb: 0, entropy: 0 });
    expect(scoreToken(logits, 2, FULL).rawLogProb).toBe(-20_000);
  });
});

describe("draws", () => {
  /** χ² of counts against probabilities; impossible ids must not occur. */
  function chiSquare(counts: readonly number[], probabilities: readonly number[]): number {
    const draws = counts.reduce((sum, count) => sum + count, 0);
    return probabilities.reduce((sum, p, id) => {
      const count = counts[id] as number;
      if (p === 0) return count === 0 ? sum : Number.POSITIVE_INFINITY;
      return sum + (count - p * draws) ** 2 / (p * draws);
    }, 0);
  }

  const logits = Float32Array.from({ length: 40 }, (_, id) => 1.5 * Math.sin(id * 12.9898));
  const everyThird = [...logits.keys()].filter((id) => id % 3 !== 0);
  const draw = (sampling: SamplingDistribution, allowed: number[] | null, seed: number) => {
    const random = sfc32(seed);
    const mask = allowed && maskOf(allowed, logits.length);
    const counts = Array.from(logits, () => 0);
    const recorded = Array.from(logits, () => 0);
    for (let i = 0; i < 30_000; i++) {
      const token = sampleToken(logits, sampling, random(), mask);
      counts[token.tokenId] = (counts[token.tokenId] as number) + 1;
      recorded[token.tokenId] = Math.exp(token.behaviorLogProb);
    }
    return { counts, recorded };
  };

  test.each([
    ["full support", FULL, null],
    ["a temperature", { ...FULL, temperature: 1.7 }, null],
    ["top-k", { ...FULL, topK: 7 }, null],
    ["top-p", { ...FULL, topP: 0.6 }, null],
    ["a mask", FULL, everyThird],
    ["a mask and a temperature", { ...FULL, temperature: 0.6 }, everyThird],
    ["everything", { temperature: 1.3, topK: 15, topP: 0.9 }, everyThird],
  ] as const)("under %s follow their recorded log-probs", (_, sampling, allowed) => {
    const { counts, recorded } = draw(sampling, allowed && [...allowed], 7);
    // All possible ids occurred, and their recorded probabilities sum to 1.
    expect(recorded.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 9);
    const freedom = recorded.filter((p) => p > 0).length - 1;
    // χ² with n degrees of freedom has mean n and variance 2n: five standard deviations above.
    expect(chiSquare(counts, recorded)).toBeLessThan(freedom + 5 * Math.sqrt(2 * freedom));
  });

  test("of another temperature are detected", () => {
    const { counts } = draw({ ...FULL, temperature: 1.15 }, null, 7);
    const { recorded } = draw(FULL, null, 7);
    expect(chiSquare(counts, recorded)).toBeGreaterThan(39 + 5 * Math.sqrt(78));
  });

  test("give the first id at 0 and the last at almost 1", () => {
    const logits = Float32Array.of(0, 1, 2);
    expect(sampleToken(logits, FULL, 0).tokenId).toBe(0);
    expect(sampleToken(logits, FULL, 1 - 2 ** -53).tokenId).toBe(2);
  });
});

test("a mask that allows nothing is refused", () => {
  expect(() => sampleToken(Float32Array.of(1, 2), FULL, 0.5, new Uint32Array(1))).toThrow(
    "a mask allows nothing",
  );
});

test.each([
  ["NaN", [1, Number.NaN, 2]],
  ["infinite", [1, Number.POSITIVE_INFINITY, 2]],
  ["all impossible", [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]],
])("logits that are %s are refused", (_, values) => {
  let error: unknown;
  try {
    sampleToken(Float32Array.from(values), FULL, 0.5);
  } catch (caught) {
    error = caught;
  }
  expect(WaggleError.is(error, "NON_FINITE_VALUE")).toBe(true);
});

test("a token outside the kept set has probability 0, and is refused with a recorded set", () => {
  const logits = Float32Array.of(0, 1, 2);
  const sampling = { ...FULL, topK: 1 };
  expect(scoreToken(logits, 0, sampling).behaviorLogProb).toBe(Number.NEGATIVE_INFINITY);
  expect(() => scoreToken(logits, 0, sampling, [2])).toThrow(
    "token 0 is not in its kept set of size 1",
  );
});
