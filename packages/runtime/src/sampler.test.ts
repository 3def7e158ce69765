import { WaggleError } from "@waggle/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "./random.ts";
import { sampleToken, scoreToken, supportOf } from "./sampler.ts";
import type { SamplingDistribution } from "./sampler.ts";

/** Slow plain twin: full sort, probabilities as an array of V numbers. */
function twin(logits: readonly number[], { temperature, topK, topP }: SamplingDistribution) {
  const max = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp((logit - max) / temperature));
  const byProbability = logits
    .map((_, id) => id)
    .sort((a, b) => (logits[b] as number) - (logits[a] as number) || a - b);
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
  test("are those of a full sort", () => {
    fc.assert(
      fc.property(logitsOf, distributionOf, fc.integer({ min: 0 }), (logits, sampling, seed) => {
        const expected = twin([...logits], sampling);
        const random = createRandom(seed);
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

  test("are the same when scored with the recorded set, and when the set is recomputed", () => {
    fc.assert(
      fc.property(logitsOf, distributionOf, fc.integer({ min: 0 }), (logits, sampling, seed) => {
        const { tokenId, keptTokenIds, ...numbers } = sampleToken(
          logits,
          sampling,
          createRandom(seed)(),
        );
        expect(scoreToken(logits, tokenId, sampling, keptTokenIds)).toEqual(numbers);
        expect(scoreToken(logits, tokenId, sampling)).toEqual(numbers);
      }),
    );
  });

  test("keep the lower id among equal logits", () => {
    const logits = Float32Array.of(1, 3, 3, 3, 0);
    expect(supportOf(logits, { ...FULL, topK: 2 })).toEqual([1, 2]);
    expect(supportOf(logits, { ...FULL, topP: 0.4 })).toEqual([1, 2]);
  });

  test("restrict nothing when top-k covers the vocabulary and top-p is 1", () => {
    expect(supportOf(Float32Array.of(1, 2, 3), { ...FULL, topK: 3 })).toBeNull();
  });

  test("top-p counts mass among what top-k kept", () => {
    // exp: 4, 3, 2, 1; top-k 2 leaves 4/7 and 3/7, and 4/7 reaches 0.5
    const logits = Float32Array.of(Math.log(4), Math.log(3), Math.log(2), 0);
    expect(supportOf(logits, { ...FULL, topK: 2, topP: 0.5 })).toEqual([0]);
    expect(supportOf(logits, { ...FULL, topP: 0.5 })).toEqual([0, 1]);
  });

  test("stay finite at logits far apart", () => {
    const logits = Float32Array.of(-1e30, 1e4, -1e4, Number.NEGATIVE_INFINITY);
    const token = sampleToken(logits, FULL, 0.999_999);
    expect(token).toMatchObject({ tokenId: 1, behaviorLogProb: 0, entropy: 0 });
    expect(scoreToken(logits, 2, FULL).rawLogProb).toBe(-20_000);
  });
});

describe("draws", () => {
  test("come as often as the distribution says", () => {
    const logits = Float32Array.of(0.3, -1, 1.2, 0.1, -0.4, 2);
    const sampling = { temperature: 1.5, topK: 5, topP: 0.95 };
    const { probabilities } = twin([...logits], sampling);
    const random = createRandom(42);
    const counts = probabilities.map(() => 0);
    const draws = 40_000;
    for (let i = 0; i < draws; i++) {
      const { tokenId } = sampleToken(logits, sampling, random());
      counts[tokenId] = (counts[tokenId] ?? 0) + 1;
    }
    for (const [id, p] of probabilities.entries()) {
      const sigma = Math.sqrt((p * (1 - p)) / draws);
      expect(Math.abs((counts[id] as number) / draws - p)).toBeLessThanOrEqual(5 * sigma);
    }
  });

  test("take the first id at 0 and the last at almost 1", () => {
    const logits = Float32Array.of(0, 1, 2);
    expect(sampleToken(logits, FULL, 0).tokenId).toBe(0);
    expect(sampleToken(logits, FULL, 1 - 2 ** -53).tokenId).toBe(2);
  });
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

test("a token outside of the set that is kept has probability 0, and is no member of a record", () => {
  const logits = Float32Array.of(0, 1, 2);
  const sampling = { ...FULL, topK: 1 };
  expect(scoreToken(logits, 0, sampling).behaviorLogProb).toBe(Number.NEGATIVE_INFINITY);
  expect(() => scoreToken(logits, 0, sampling, [2])).toThrow("kept set must hold its token");
});
