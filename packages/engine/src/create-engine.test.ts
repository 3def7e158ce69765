import { initializeDecoder, tensorMapSource } from "@waggle/model";
import type { DecoderConfig, TensorSource } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import { expect, onTestFinished, test } from "vitest";
import { skipOutside } from "../../../test/fixtures/long.ts";
import { createEngine } from "./create-engine.ts";
import { openSharedBase } from "./shared-base.ts";
import {
  loudAdapter,
  loudWeights,
  TINY,
  variedSequences,
} from "./contract/train-engine.fixture.ts";

test("auto picks the native engine, reference-wasm picks TensorFlow.js, and both agree", async () => {
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
  "decoders that cannot be trained are refused by model type on %s",
  async (device) => {
    for (const modelType of ["gemma3_text", "lfm2"] as const) {
      const config: DecoderConfig = { ...TINY, modelType };
      const options = { config, weights: initializeDecoder(config, 1), device };
      const refusal = {
        code: "CAPABILITY_MISSING",
        message: expect.stringMatching(
          new RegExp(`${modelType} supports only inference; .* type qwen3, llama, qwen2, smollm3`),
        ) as string,
      };
      await expect(createEngine({ ...options, trains: "full" })).rejects.toMatchObject(refusal);
      await expect(openSharedBase(options)).rejects.toMatchObject(refusal);
    }
  },
);

/** A source that records how much it reads: numbers per read, in total, and concurrent reads. */
function watched(weights: TensorMap) {
  const plain = tensorMapSource(weights);
  const seen = { largest: 0, total: 0, atOnce: 0 };
  let open = 0;
  const source: TensorSource = {
    ...plain,
    read: async (name, rows) => {
      seen.atOnce = Math.max(seen.atOnce, ++open);
      const tensor = await plain.read(name, rows);
      seen.largest = Math.max(seen.largest, tensor.data.length);
      seen.total += tensor.data.length;
      open--;
      return { ...tensor, data: tensor.data.slice() };
    },
  };
  return { source, seen };
}

// Its embedding is larger than a slice, which has the whole rows within 2^22 numbers.
const WIDE: DecoderConfig = { ...TINY, vocabularySize: Math.ceil(2 ** 22 / TINY.width) + 1000 };
const WIDE_WEIGHTS = initializeDecoder(WIDE, 1);

test.for(["int8", "int4", "f16", "f32"] as const)(
  "weights stored in %s are read once, one read at a time, matrices in slices",
  async (base, context) => {
    skipOutside(base === "int4" || base === "f32", context);
    const adapter = loudAdapter(WIDE);
    const options = { config: WIDE, base, checkpointing: "layer", threads: 1 } as const;
    for (const isShared of [false, true]) {
      const { source, seen } = watched(WIDE_WEIGHTS);
      const start = { ...options, device: "cpu", weights: source } as const;
      const opened = isShared
        ? await openSharedBase(start)
        : await createEngine({ ...start, trains: "lora", adapter });
      await opened.dispose();
      const sizes = Array.from(WIDE_WEIGHTS.values(), ({ data }) => data.length);
      expect(seen.total).toBe(sizes.reduce((a, b) => a + b));
      expect(seen.atOnce).toBe(1);
      const slice = 2 ** 22 - (2 ** 22 % WIDE.width);
      expect(seen.largest).toBe(base === "f32" ? Math.max(...sizes) : slice);
    }
  },
);

test.each(["cpu", "reference-wasm"] as const)(
  "on %s weights from a source and weights in memory give the same engine",
  async (device) => {
    const adapter = loudAdapter(TINY);
    const sequences = variedSequences(TINY);
    const options = { config: TINY, device, trains: "lora", adapter, threads: 1 } as const;
    const outputs = [];
    for (const weights of [loudWeights(TINY), tensorMapSource(loudWeights(TINY))]) {
      const engine = await createEngine({ ...options, weights });
      onTestFinished(() => engine.dispose());
      outputs.push((await engine.forward({ sequences })).logProb);
      const base = await openSharedBase({ config: TINY, device, weights, threads: 1 });
      onTestFinished(() => base.dispose());
      const model = await base.createModel("policy", { adapter });
      outputs.push((await model.forward({ sequences })).logProb);
    }
    const [first, ...others] = outputs;
    for (const other of others) expect(other).toEqual(first);
  },
);
