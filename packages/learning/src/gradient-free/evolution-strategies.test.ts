import type { TensorMap } from "@waggle/protocol";
import { expect, test } from "vitest";
import { evolutionStep } from "./evolution-strategies.ts";
import { mirroredPerturbations } from "./perturbation.ts";
import { perturbed, seededNormals } from "./seeded-noise.ts";

const tensors = (values: { readonly [name: string]: readonly number[] }): TensorMap =>
  new Map(
    Object.entries(values).map(([name, data]) => [
      name,
      { shape: [data.length], data: Float32Array.from(data) },
    ]),
  );
const numbers = (map: TensorMap): number[] => [...map.values()].flatMap(({ data }) => [...data]);

test("a seed and a name give the recorded noise", () => {
  const recorded = [1.2299927473068237, 1.0250029563903809, 0.05341123417019844];
  expect([...seededNormals(3, "layers.0.é", 3)]).toEqual(recorded);
});

test("noise is standard normal, reproducible from its seed, and different by seed and tensor", () => {
  const noise = seededNormals(7, "w", 20000);
  const mean = noise.reduce((a, b) => a + b, 0) / noise.length;
  const variance = noise.reduce((a, b) => a + b * b, 0) / noise.length - mean ** 2;
  expect(Math.abs(mean)).toBeLessThan(0.03);
  expect(Math.abs(variance - 1)).toBeLessThan(0.05);
  expect(seededNormals(7, "w", 20000)).toEqual(noise);
  expect(seededNormals(7, "w", 3)).toEqual(noise.slice(0, 3));
  const correlation = (other: Float32Array): number =>
    other.reduce((sum, value, i) => sum + value * noise[i]!, 0) / noise.length;
  expect(Math.abs(correlation(seededNormals(8, "w", 20000)))).toBeLessThan(0.03);
  expect(Math.abs(correlation(seededNormals(7, "v", 20000)))).toBeLessThan(0.03);
});

test("an update rebuilt from seeds equals one from stored noise", () => {
  const start = tensors({ a: [1, 2, 3], b: [4] });
  const noiseScale = 0.1;
  const rewards = [
    { seed: 11, reward: 0.2 },
    { seed: 12, reward: 1, direction: -1 as const },
    { seed: 13, reward: 0.6 },
  ];
  const stored = rewards.map(({ seed, direction = 1 }) =>
    numbers(perturbed(start, seed, direction * noiseScale)).map(
      (value, i) => (value - numbers(start)[i]!) / noiseScale,
    ),
  );
  const raw = evolutionStep(start, rewards, { learningRate: 0.3, noiseScale, fitness: "raw" });
  for (const [i, value] of numbers(raw).entries()) {
    const push = rewards.reduce((sum, { reward }, k) => sum + reward * stored[k]![i]!, 0);
    expect(value).toBeCloseTo(numbers(start)[i]! + (0.3 / (3 * noiseScale)) * push, 4);
  }
});

test("tensors are perturbed by name, independent of their order", () => {
  const one = perturbed(tensors({ a: [0, 0], b: [0] }), 5, 1);
  const two = perturbed(tensors({ b: [0], a: [0, 0] }), 5, 1);
  expect(two.get("a")).toEqual(one.get("a"));
  expect(two.get("b")).toEqual(one.get("b"));
});

test("equal rewards change nothing; one perturbation cannot be compared", () => {
  const start = tensors({ a: [1, -1] });
  const options = { learningRate: 1, noiseScale: 0.1 };
  const alike = [1, 2, 3].map((seed) => ({ seed, reward: 0.5 }));
  expect(numbers(evolutionStep(start, alike, options))).toEqual([1, -1]);
  expect(() => evolutionStep(start, [{ seed: 1, reward: 1 }], options)).toThrow(
    expect.objectContaining({ code: "GROUP_TOO_SMALL" }),
  );
  expect(() => evolutionStep(start, [], options)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
  expect(() => evolutionStep(start, alike, { ...options, noiseScale: 0 })).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

/** −|θ − target|² after steps of mirrored perturbations. */
function climb(fitness: "standardized" | "ranked", dealt: boolean): number {
  const target = [0.5, -0.3, 0.8];
  const reward = (map: TensorMap): number =>
    -numbers(map).reduce((sum, value, i) => sum + (value - target[i]!) ** 2, 0);
  let theta = tensors({ w: [0, 0, 0] });
  for (let step = 0; step < 150; step += 1) {
    const seeds = Array.from({ length: 8 }, (_, k) => step * 8 + k);
    const rewarded = seeds.flatMap((seed) =>
      ([1, -1] as const).map((direction) => ({
        seed,
        direction,
        reward: reward(perturbed(theta, seed, direction * 0.1)),
      })),
    );
    const shifted = rewarded.map((entry, i) => ({
      ...entry,
      reward: dealt ? rewarded[(i * 7 + 3) % rewarded.length]!.reward : entry.reward,
    }));
    theta = evolutionStep(theta, shifted, { learningRate: 0.005, noiseScale: 0.1, fitness });
  }
  return reward(theta);
}

test("both fitness forms climb a toy reward; with shuffled rewards they do not", () => {
  const start = -(0.5 ** 2 + 0.3 ** 2 + 0.8 ** 2);
  expect(climb("standardized", false)).toBeGreaterThan(-0.01);
  expect(climb("ranked", false)).toBeGreaterThan(start / 2);
  expect(climb("standardized", true)).toBeLessThan(start / 2);
});

test("mirrored perturbations share a seed in pairs, and pairs differ", () => {
  const [first, second, third] = mirroredPerturbations(7, 3);
  expect([first?.direction, second?.direction, third?.direction]).toEqual([1, -1, 1]);
  expect(second?.seed).toBe(first?.seed);
  expect(third?.seed).not.toBe(first?.seed);
  expect(mirroredPerturbations(8, 1)[0]?.seed).not.toBe(first?.seed);
});
