import { createHash } from "node:crypto";
import type { Tensor, TensorMap } from "@waggle/protocol";
import { expect, test } from "vitest";
import { withPerturbation } from "./seeded-noise.ts";
import { PERTURBATION, PERTURBED_SHA256, TENSORS } from "./perturbed-adapter.fixture.ts";

const A = "model.layers.0.mlp.up_proj.lora_A.weight";
const B = "model.layers.0.mlp.up_proj.lora_B.weight";
const dataOf = (tensors: TensorMap, name: string): number[] => [
  ...(tensors.get(name) as Tensor).data,
];

test("noise moves B and not A, by equal amounts in both directions, and with the given deviation", () => {
  const up = withPerturbation(TENSORS, PERTURBATION);
  const down = withPerturbation(TENSORS, { ...PERTURBATION, direction: -1 });
  expect(up.get(A)).toEqual(TENSORS.get(A));
  const before = dataOf(TENSORS, B);
  const noise = dataOf(up, B).map((value, i) => value - (before[i] as number));
  for (const [i, value] of dataOf(down, B).entries()) {
    expect((before[i] as number) - value).toBeCloseTo(noise[i] as number, 6);
  }
  const deviation = Math.sqrt(noise.reduce((sum, value) => sum + value ** 2, 0) / noise.length);
  expect(deviation).toBeGreaterThan(0.9 * PERTURBATION.scale);
  expect(deviation).toBeLessThan(1.1 * PERTURBATION.scale);
  const other = withPerturbation(TENSORS, { ...PERTURBATION, seed: 6 });
  expect(dataOf(other, B)).not.toEqual(dataOf(up, B));
});

test("the perturbed adapter has the bits that pages compute, too", () => {
  const { data } = withPerturbation(TENSORS, PERTURBATION).get(B) as { data: Float32Array };
  expect(createHash("sha256").update(new Uint8Array(data.buffer)).digest("hex")).toBe(
    PERTURBED_SHA256,
  );
});
