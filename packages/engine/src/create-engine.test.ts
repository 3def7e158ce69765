import { initializeDecoder } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import { expect, test } from "vitest";
import { createEngine } from "./create-engine.ts";
import { loudWeights, TINY, variedSequences } from "./train-engine.fixture.ts";

test("auto is the native engine, the reference is TensorFlow.js, and both agree", async () => {
  const options = { config: TINY, weights: loudWeights(TINY), trains: "full" } as const;
  const sequences = variedSequences(TINY);
  const native = await createEngine({ ...options, device: "auto", threads: 1 });
  const reference = await createEngine({ ...options, device: "reference-wasm" });
  expect(native.capabilities().device).toMatch(/^onnx (?:native cpu x1|cuda|webgpu )/);
  expect(reference.capabilities().device).toContain("tfjs wasm");
  const { logProb: actual } = await native.forward({ sequences });
  const { logProb: expected } = await reference.forward({ sequences });
  const gaps = actual.flatMap((values, sequence) =>
    Array.from(values, (value, token) => Math.abs(value - (expected[sequence]?.[token] as number))),
  );
  expect(gaps.length).toBe(25);
  expect(Math.max(...gaps)).toBeLessThan(1e-4);
  await native.dispose();
  await reference.dispose();
});

test.each(["cpu", "wasm", "reference-wasm"] as const)(
  "a decoder that only runs is refused by its type on %s",
  async (device) => {
    const config: DecoderConfig = { ...TINY, modelType: "smollm3" };
    const weights = initializeDecoder(config, 1);
    await expect(createEngine({ config, weights, trains: "full", device })).rejects.toMatchObject({
      code: "CAPABILITY_MISSING",
      message: expect.stringContaining("smollm3") as string,
    });
  },
);
