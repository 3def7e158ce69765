/**
 * Number formats compared with float32. The golden decoders are small and have large weights, so an error of 8 % in a
 * matrix affects few, large numbers, and budgets are wider than a trained model needs.
 */
import { roundedWeights } from "@waggle/model";
import type { DecoderGraphOptions } from "@waggle/model";
import { expect, test } from "vitest";
import { GOLDEN_TYPES } from "./golden.ts";
import { graphLogits, readGolden } from "./golden-files.ts";
import { largestDifference } from "./graph-runner.ts";

type Format = Omit<DecoderGraphOptions, "lora">;

/** Mean over positions of KL(float32 ‖ format), in nats. */
function meanDivergence(exact: readonly Float32Array[], rounded: readonly Float32Array[]): number {
  const total = exact.reduce((sum, row, t) => {
    const [p, q] = [logSoftmax(row), logSoftmax(rounded[t]!)];
    return sum + p.reduce((part, value, i) => part + Math.exp(value) * (value - q[i]!), 0);
  }, 0);
  return total / exact.length;
}

function logSoftmax(logits: Float32Array): number[] {
  const max = Math.max(...logits);
  const logSum = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - max), 0));
  return Array.from(logits, (logit) => logit - max - logSum);
}

/** Twice the largest measured values: 9.1e-6, 5.0e-3, 7.8e-3, 0.50, 0.51, 0.52 (smollm3 each time). */
const budgets: [string, Format, number][] = [
  ["f16", { dtype: "f16" }, 2e-5],
  ["int8", { dtype: "int8" }, 1e-2],
  ["int8 with rounded activations", { dtype: "int8", roundsActivations: true }, 1.6e-2],
  ["int4", { dtype: "int4" }, 1],
  ["int4 with rounded activations", { dtype: "int4", roundsActivations: true }, 1],
  ["int4 with f16 activations", { dtype: "int4", activations: "f16" }, 1],
];
for (const modelType of GOLDEN_TYPES) {
  test.each(budgets)(`${modelType} in %s stays within its budget`, async (_, format, budget) => {
    const golden = await readGolden(modelType);
    const ids = golden.cases.plain.sequences.map(({ tokenIds }) => tokenIds);
    const exact = (await graphLogits(golden, ids, null)).flat();
    const rounded = (await graphLogits(golden, ids, null, format)).flat();
    const divergence = meanDivergence(exact, rounded);
    expect(divergence).toBeGreaterThan(budget / 1000);
    expect(divergence).toBeLessThan(budget);
  });

  test.each(["int8", "int4"] as const)(
    `${modelType} in %s computes with exactly the numbers that its bytes encode`,
    async (dtype) => {
      const golden = await readGolden(modelType);
      const ids = golden.cases.plain.sequences.map(({ tokenIds }) => tokenIds);
      const actual = await graphLogits(golden, ids, golden.adapter, { dtype });
      const weights = roundedWeights(golden.config, golden.weights, dtype, "f32");
      const expected = await graphLogits({ ...golden, weights }, ids, golden.adapter);
      const flat = (logits: Float32Array[][]): number[] => logits.flat().flatMap((row) => [...row]);
      expect(largestDifference(flat(actual), flat(expected))).toBeLessThan(1e-4);
    },
  );
}

test("an adapter in f16 stays within the budget of f16", async () => {
  const golden = await readGolden("qwen3");
  const ids = golden.cases.lora.sequences.map(({ tokenIds }) => tokenIds);
  const exact = (await graphLogits(golden, ids, golden.adapter)).flat();
  const base = (await graphLogits(golden, ids, null)).flat();
  const rounded = (await graphLogits(golden, ids, golden.adapter, { dtype: "f16" })).flat();
  expect(meanDivergence(exact, rounded)).toBeLessThan(2e-5);
  expect(meanDivergence(base, rounded)).toBeGreaterThan(0.1);
});

test("gemma3's sum may exceed float16's largest number in f16", async () => {
  const golden = await readGolden("gemma3_text");
  const name = "model.layers.1.post_feedforward_layernorm.weight";
  const { shape, data } = golden.weights.get(name)!;
  const loud = { shape, data: data.map((value) => (1 + value) * 60_000) };
  const changed = { ...golden, weights: new Map([...golden.weights, [name, loud]]) };
  const ids = golden.cases.plain.sequences.map(({ tokenIds }) => tokenIds);
  const exact = (await graphLogits(changed, ids, null)).flat();
  const rounded = (await graphLogits(changed, ids, null, { dtype: "f16" })).flat();
  expect(meanDivergence(exact, rounded)).toBeLessThan(2e-5);
});
