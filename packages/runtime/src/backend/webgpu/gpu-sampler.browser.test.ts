import { seededRandom, standardNormal } from "@waggle/protocol";
import { expect, test } from "vitest";
import { isLong, sampleSize } from "../../../../../test/fixtures/long.ts";
import { plainScore, plainSupport } from "../../agreement/plain-distribution.ts";
import type { SampledToken, SamplingDistribution } from "../../sampler.ts";
import { GpuMemory } from "./gpu-memory.ts";
import { GpuSampler } from "./gpu-sampler.ts";
import type { JobResult } from "./gpu-sampler.ts";
import type { SamplerJob } from "./job-layout.ts";
import { requestWebgpuDevice } from "./webgpu-device.ts";

const FULL: SamplingDistribution = { temperature: 1, topK: 0, topP: 1 };

/** Rows of spreads 1, 3 and 8; the first also has equal logits. */
function randomLogits(vocabularySize: number, random: () => number): Float32Array[] {
  return [1, 3, 8].map((width) => {
    const row = Float32Array.from({ length: vocabularySize }, () => width * standardNormal(random));
    if (width === 1) for (let i = 2; i < 14; i++) row[i] = 1.5;
    return row;
  });
}

async function samplerOf(
  rows: readonly Float32Array[],
  jobs = 8,
): Promise<{
  readonly run: (jobs: readonly SamplerJob[]) => Promise<JobResult[]>;
  readonly dispose: () => void;
}> {
  const vocabularySize = rows[0]?.length ?? 0;
  const memory = new GpuMemory(await requestWebgpuDevice(navigator.gpu));
  const { queue } = memory.device;
  const logits = memory.create("scratch", rows.length * vocabularySize * 4);
  for (const [index, row] of rows.entries()) {
    queue.writeBuffer(logits, index * vocabularySize * 4, row as Float32Array<ArrayBuffer>);
  }
  const options = { memory, vocabularySize, logits, maxJobs: jobs, maxSamples: jobs };
  const sampler = new GpuSampler(options);
  await sampler.compiled;
  return {
    run: async (jobs) => {
      const encoder = memory.device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      const batch = sampler.encode(pass, jobs);
      pass.end();
      batch.copy(encoder);
      queue.submit([encoder.finish()]);
      return batch.read();
    },
    dispose: () => {
      sampler.dispose();
      logits.destroy();
      expect(memory.count).toBe(0);
      memory.device.destroy();
    },
  };
}

/** Allows each id with probability two fifths, and always id 1. */
function randomMask(vocabularySize: number, random: () => number): Uint32Array {
  const mask = new Uint32Array(Math.ceil(vocabularySize / 32));
  for (let id = 0; id < vocabularySize; id++) {
    if (id === 1 || random() < 0.4) mask[id >> 5] = (mask[id >> 5] as number) | (1 << (id % 32));
  }
  return mask;
}

/**
 * The largest difference from the plain distribution; infinite if the kept sets differ, unless the
 * mass is within rounding of top-p: then it is 0.
 */
function deviationOf(
  row: Float64Array,
  distribution: SamplingDistribution,
  allowed: Uint32Array | null,
  sampled: SampledToken | null,
): number {
  if (sampled === null) return Infinity;
  const { temperature, topK, topP } = distribution;
  const support = plainSupport(row, distribution, allowed);
  const isCut = (topK > 0 && topK < row.length) || topP < 1;
  if (!isCut && allowed === null && sampled.keptTokenIds !== null) return Infinity;
  if (isCut && String(sampled.keptTokenIds) !== String(support)) {
    const all = plainSupport(row, { ...distribution, topP: 1 }, allowed);
    const scaled = row.map((logit) => logit / temperature);
    return distanceFromCut(scaled, support, all, topP) < 2e-6 ? 0 : Infinity;
  }
  const expected = plainScore(row, sampled.tokenId, temperature, support);
  return Math.max(
    Math.abs(sampled.behaviorLogProb - expected.behaviorLogProb),
    Math.abs(sampled.rawLogProb - expected.rawLogProb),
    Math.abs(sampled.entropy - expected.entropy),
  );
}

/** Distance from p of the mass of the kept ids, or of those but one. */
function distanceFromCut(
  row: Float64Array,
  kept: readonly number[],
  all: readonly number[],
  p: number,
): number {
  const mass = (ids: readonly number[]): number =>
    ids.reduce((sum, id) => sum + Math.exp(row[id] as number), 0);
  const least = kept.reduce((a, b) => ((row[a] as number) <= (row[b] as number) ? a : b));
  const others = kept.filter((id) => id !== least);
  return Math.min(...[kept, others].map((ids) => Math.abs(mass(ids) / mass(all) - p)));
}

const CUTS = [
  [0, 1],
  [1, 1],
  [5, 1],
  [0, 0.9],
  [40, 0.8],
] as const;

/** `npm test` runs the smallest and the largest vocabulary. */
const SIZES = [
  { size: 17, warm: isLong() ? [0.3, 1, 1.7] : [1.7], cuts: CUTS },
  { size: 151_936, warm: [0.7], cuts: [CUTS[0], CUTS[4]] },
  { size: 1000, warm: [0.3, 1.7], cuts: CUTS },
  { size: 32_000, warm: [1], cuts: CUTS },
].slice(0, sampleSize(2, 4));

test.each(SIZES)(
  "over $size ids samples match the plain distribution",
  async ({ size, warm, cuts }) => {
    const random = seededRandom(size);
    const rows = randomLogits(size, random);
    const sampler = await samplerOf(rows);
    let compared = 0;
    for (const temperature of warm) {
      for (const [topK, topP] of cuts) {
        for (const allowed of [null, randomMask(size, random)]) {
          const distribution = { temperature, topK, topP };
          const results = await sampler.run(
            rows.map((_, logitRow) => ({
              logitRow,
              output: { kind: "sample", distribution, uniform: random(), allowed },
            })),
          );
          for (const [index, { sampled }] of results.entries()) {
            const row = Float64Array.from(rows[index] ?? []);
            const deviation = deviationOf(row, distribution, allowed, sampled);
            expect(deviation).toBeLessThan(1e-4);
            compared++;
          }
        }
      }
    }
    expect(compared).toBe(6 * cuts.length * warm.length);
    sampler.dispose();
  },
);

test("known tokens are scored, with kept sets and where top-k or top-p excludes them", async () => {
  const rows = randomLogits(97, seededRandom(5));
  const sampler = await samplerOf(rows);
  const distribution = { temperature: 0.8, topK: 10, topP: 1 };
  const row = Float64Array.from(rows[1] ?? []);
  const support = plainSupport(row, distribution, null);
  const outside = [...row.keys()].find((id) => !support.includes(id)) as number;
  const targets = [support[3] as number, outside, 20, 30];
  const kept = [undefined, undefined, [4, 20, 60], null];
  const output = { kind: "score", distribution, targets, kept } as never;
  const results = await sampler.run(
    targets.map((_, position) => ({ logitRow: 1, output, position })),
  );
  const supports = [support, support, [4, 20, 60], [...row.keys()]];
  for (const [position, { score }] of results.entries()) {
    const ids = supports[position] as number[];
    const expected = plainScore(row, targets[position] as number, 0.8, ids);
    const { behaviorLogProb = Number.NaN } = score ?? {};
    expect(Number.isFinite(behaviorLogProb)).toBe(position !== 1);
    const isNear = Math.abs(behaviorLogProb - expected.behaviorLogProb) < 1e-4;
    expect(isNear || behaviorLogProb === expected.behaviorLogProb).toBe(true);
    expect(score?.rawLogProb).toBeCloseTo(expected.rawLogProb, 4);
    expect(score?.entropy).toBeCloseTo(expected.entropy, 4);
  }
  sampler.dispose();
});

test("drawn tokens follow the distribution, cut and whole, and not a shifted one", async () => {
  const random = seededRandom(9);
  const row = Float32Array.from({ length: 17 }, (_, id) => Math.sin(id * 2.3) * 1.5);
  const sampler = await samplerOf([row], 64);
  const logits = Float64Array.from(row);
  for (const distribution of [FULL, { temperature: 1.3, topK: 9, topP: 0.95 }]) {
    const support = plainSupport(logits, distribution, null);
    const counts = new Float64Array(17);
    const draws = 1280;
    for (let run = 0; run < draws / 64; run++) {
      const results = await sampler.run(
        Array.from({ length: 64 }, () => ({
          logitRow: 0,
          output: { kind: "sample", distribution, uniform: random(), allowed: null },
        })),
      );
      for (const { sampled } of results) counts[sampled?.tokenId ?? 0]! += 1;
    }
    const chiSquare = (temperature: number): number =>
      support.reduce((sum, id) => {
        const { behaviorLogProb } = plainScore(logits, id, temperature, support);
        const expected = draws * Math.exp(behaviorLogProb);
        return sum + ((counts[id] as number) - expected) ** 2 / expected;
      }, 0);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(draws);
    // 99.99 % quantiles of chi-square with at most 16 degrees of freedom are below 45.
    expect(chiSquare(distribution.temperature)).toBeLessThan(45);
    expect(chiSquare(distribution.temperature * 3)).toBeGreaterThan(45);
  }
  sampler.dispose();
});

test("NaN logits are an error, and minus infinity is never drawn", async () => {
  const row = new Float32Array(97).fill(Number.NEGATIVE_INFINITY);
  row[60] = 1;
  const bad = new Float32Array(97);
  bad[5] = Number.NaN;
  const sampler = await samplerOf([row, bad]);
  const output = { kind: "sample", distribution: FULL, uniform: 0.9, allowed: null } as const;
  const [result] = await sampler.run([{ logitRow: 0, output }]);
  expect(result?.sampled).toMatchObject({ tokenId: 60, behaviorLogProb: 0, rawLogProb: 0 });
  await expect(sampler.run([{ logitRow: 1, output }])).rejects.toMatchObject({
    code: "NON_FINITE_VALUE",
  });
  sampler.dispose();
});
