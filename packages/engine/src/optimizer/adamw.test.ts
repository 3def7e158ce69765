import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WaggleError } from "@waggle/protocol";
import type { Tensor } from "@waggle/protocol";
import { toBeAllClose, TOLERANCE } from "@waggle/testing";
import { expect, test } from "vitest";
import { AdamW, globalNorm } from "./adamw.ts";

expect.extend({ toBeAllClose });

type Values = { readonly matrix: number[][]; readonly gain: number[] };
type Golden = {
  readonly start: Values;
  readonly steps: readonly { gradients: Values; norm: number; parameters: Values }[];
};

const GOLDEN = JSON.parse(
  readFileSync(join(import.meta.dirname, "adamw.golden.json"), "utf8"),
) as Golden;
const OPTIONS = { learningRate: 0.02, weightDecay: 0.1, maxGradientNorm: 2 };

function parametersOf({ matrix, gain }: Values): Map<string, Tensor> {
  return new Map([
    ["matrix", { shape: [3, 4], data: Float32Array.from(matrix.flat()) }],
    ["gain", { shape: [5], data: Float32Array.from(gain) }],
  ]);
}

function gradientsOf({ matrix, gain }: Values): Map<string, Float32Array> {
  return new Map([
    ["matrix", Float32Array.from(matrix.flat())],
    ["gain", Float32Array.from(gain)],
  ]);
}

test("ten clipped steps match PyTorch's, with decay on the matrix only", () => {
  const parameters = parametersOf(GOLDEN.start);
  const optimizer = new AdamW(parameters);
  for (const [index, { gradients, norm, parameters: expected }] of GOLDEN.steps.entries()) {
    const result = optimizer.update(gradientsOf(gradients), OPTIONS);
    expect(result.step).toBe(index + 1);
    expect(result.gradientNorm).toBeCloseTo(norm, 5);
    expect(parameters.get("matrix")?.data).toBeAllClose(expected.matrix.flat(), TOLERANCE.f32);
    expect(parameters.get("gain")?.data).toBeAllClose(expected.gain, TOLERANCE.f32);
  }
  const norms = GOLDEN.steps.map(({ norm }) => norm);
  expect(Math.min(...norms)).toBeLessThan(2);
  expect(Math.max(...norms)).toBeGreaterThan(2);
});

test("a gradient below the norm limit is not scaled", () => {
  const [clipped, free] = [parametersOf(GOLDEN.start), parametersOf(GOLDEN.start)];
  const gradients = gradientsOf(GOLDEN.start);
  const options = { learningRate: 0.1, maxGradientNorm: 1 + globalNorm(gradients) };
  new AdamW(clipped).update(gradients, options);
  new AdamW(free).update(gradients, { learningRate: 0.1 });
  expect(clipped).toEqual(free);
  expect(clipped).not.toEqual(parametersOf(GOLDEN.start));
});

test("a missing gradient counts as zero, so that only decay moves the parameter at first", () => {
  const parameters = parametersOf(GOLDEN.start);
  new AdamW(parameters).update(new Map(), { learningRate: 0.5, weightDecay: 0.2 });
  const decayed = GOLDEN.start.matrix.flat().map((value) => value * 0.9);
  expect(parameters.get("matrix")?.data).toBeAllClose(decayed, TOLERANCE.f32);
  expect(parameters.get("gain")?.data).toEqual(Float32Array.from(GOLDEN.start.gain));
});

test("updating parameters of any length together changes no bit against updating each alone", () => {
  const lengths = [1, 6, 8195, 3];
  const noise = (length: number, seed: number): Float32Array =>
    Float32Array.from({ length }, (_, i) => Math.sin(seed + i * 1.7));
  const stepped = (chosen: readonly number[]) => {
    const named = chosen.map((length) => [`of ${length}`, noise(length, length)] as const);
    const optimizer = new AdamW(
      new Map(named.map(([name, data]) => [name, { shape: [data.length], data }])),
    );
    for (const seed of [1, 2]) {
      const gradients = new Map(named.map(([name, { length }]) => [name, noise(length, seed)]));
      optimizer.update(gradients, { learningRate: 0.1 });
    }
    return optimizer.checkpoint().tensors;
  };
  const together = stepped(lengths);
  expect(together.size).toBe(3 * lengths.length);
  for (const length of lengths) {
    for (const [name, { data }] of stepped([length])) {
      expect(data.some((value) => value !== 0)).toBe(true);
      expect(together.get(name)?.data).toEqual(data);
    }
  }
});

test("the norm is over all gradients and does not overflow f32", () => {
  const gradients = new Map([
    ["a", Float32Array.of(3e30, 0)],
    ["b", Float32Array.of(4e30)],
  ]);
  expect(globalNorm(gradients) / 5e30).toBeCloseTo(1, 6);
});

test("a NaN gradient is named, and neither parameters, moments nor step change", () => {
  const optimizer = new AdamW(parametersOf(GOLDEN.start));
  optimizer.update(gradientsOf(GOLDEN.start), OPTIONS);
  const before = optimizer.checkpoint();
  const broken = gradientsOf(GOLDEN.start).set("gain", Float32Array.of(1, Number.NaN, 0, 0, 0));
  let error: unknown;
  try {
    optimizer.update(broken, OPTIONS);
  } catch (thrown) {
    error = thrown;
  }
  expect(WaggleError.is(error, "NON_FINITE_VALUE")).toBe(true);
  expect(String(error)).toContain("gain");
  expect(optimizer.checkpoint()).toEqual(before);
});
