/**
 * Training in f16 on a CPU, which rounds as a GPU does and multiplies in float32: distance from
 * float32 training, and handling of numbers beyond f16's range.
 */
import { residentNumbers } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { expect, onTestFinished, test } from "vitest";
import { createEngine } from "../create-engine.ts";
import { createOnnxEngine } from "../onnx/onnx-engine.ts";
import type { OnnxEngineOptions } from "../onnx/onnx-engine.ts";
import { openSharedBase } from "../shared-base.ts";
import {
  codeOf,
  largestNormError,
  loudAdapter,
  loudWeights,
  randomDerivatives,
  TINY,
  TINY_LLAMA,
  variedSequences,
} from "../contract/train-engine.fixture.ts";

async function engineOf(options: Partial<OnnxEngineOptions>): Promise<TrainEngine> {
  const { config = TINY, trains = "lora" } = options;
  const engine = await createOnnxEngine({
    config,
    weights: loudWeights(config),
    trains,
    device: "cpu",
    threads: 1,
    ...(trains === "lora" ? { adapter: loudAdapter(config) } : {}),
    ...options,
  });
  onTestFinished(() => engine.dispose());
  return engine;
}

async function gradientsOf(engine: TrainEngine, config = TINY): Promise<TensorMap> {
  const sequences = variedSequences(config);
  await engine.backward(
    { sequences },
    { logProb: randomDerivatives(sequences, 51), entropy: randomDerivatives(sequences, 52) },
  );
  return engine.gradients();
}

test.each([
  ["lora", "none", "f32"],
  ["full", "none", "f32"],
  ["lora", "layer", "f32"],
  ["lora", "layer", "f16"],
  ["lora", "layer", "int8"],
  ["full", "layer", "f32"],
] as const)(
  "gradients are within 1/200 of float32's norm-wise, and differ from them (%s, checkpointing %s, base %s)",
  async (trains, checkpointing, base) => {
    const weights = residentNumbers(TINY, loudWeights(TINY), base);
    const expected = await gradientsOf(await engineOf({ trains, weights }));
    const half = await engineOf({ trains, checkpointing, base, weights, precision: "f16" });
    expect(half.capabilities().precision).toBe("f16");
    const error = largestNormError(await gradientsOf(half), expected);
    expect(error).toBeLessThan(5e-3);
    // onnxruntime removes casts where it can; without rounding this would be float32
    expect(error).toBeGreaterThan(2e-4);
    expect((await half.optimStep({ learningRate: 0 })).overflows).toBe(0);
  },
);

test("in float32, capabilities and steps report no precision", async () => {
  const engine = await engineOf({});
  expect(engine.capabilities()).not.toHaveProperty("precision");
  expect(await engine.optimStep({ learningRate: 0 })).not.toHaveProperty("overflows");
});

test("derivatives of any size give the same gradients", async () => {
  const sequences = variedSequences(TINY);
  const logProb = randomDerivatives(sequences, 53);
  const of = async (factor: number): Promise<TensorMap> => {
    const engine = await engineOf({ precision: "f16" });
    const scaled = logProb.map((values) => values.map((value) => value * factor));
    await engine.backward({ sequences }, { logProb: scaled });
    return engine.gradients();
  };
  const divided = (gradients: TensorMap, factor: number): TensorMap =>
    new Map(
      Array.from(gradients, ([name, { shape, data }]) => [
        name,
        { shape, data: data.map((value) => value / factor) },
      ]),
    );
  const expected = await of(1);
  for (const factor of [2 ** -40, 2 ** 40]) {
    expect(largestNormError(divided(await of(factor), factor), expected)).toBeLessThan(1e-6);
  }
});

/**
 * Hidden states before the last norm are small, so that its gradient is four thousand times larger.
 */
const STEEP: DecoderConfig = { ...TINY_LLAMA, rmsNormEpsilon: 1e-10 };

function steepWeights(): TensorMap {
  const isSmall = /embed_tokens|o_proj|down_proj/;
  return new Map(
    Array.from(loudWeights(STEEP), ([name, { shape, data }]) => [
      name,
      { shape, data: isSmall.test(name) ? data.map((value) => value / 4000) : data },
    ]),
  );
}

test("gradients that overflow are computed again, and the step reports it", async () => {
  const options = { config: STEEP, weights: steepWeights(), trains: "full" } as const;
  const expected = await gradientsOf(await engineOf(options), STEEP);
  const half = await engineOf({ ...options, precision: "f16" });
  expect(largestNormError(await gradientsOf(half, STEEP), expected)).toBeLessThan(5e-3);
  expect(await half.optimStep({ learningRate: 0 })).toMatchObject({ step: 1, overflows: 1 });
  // counted for that step alone
  expect(await half.optimStep({ learningRate: 0 })).toMatchObject({ step: 2, overflows: 0 });
  // layer by layer, each layer has its own scale
  const layers = await engineOf({ ...options, precision: "f16", checkpointing: "layer" });
  expect(largestNormError(await gradientsOf(layers, STEEP), expected)).toBeLessThan(5e-3);
  expect((await layers.optimStep({ learningRate: 0 })).overflows).toBe(0);
});

test("activations that overflow are refused, not returned", async () => {
  const weights = new Map(loudWeights(TINY));
  for (const name of ["gate_proj", "up_proj"]) {
    const tensor = weights.get(`model.layers.0.mlp.${name}.weight`);
    tensor?.data.forEach((value, i) => (tensor.data[i] = 1e3 * value));
  }
  const sequences = variedSequences(TINY);
  for (const checkpointing of ["none", "layer"] as const) {
    const half = await engineOf({ weights, checkpointing, precision: "f16" });
    expect(await codeOf(half.forward({ sequences }))).toBe("NON_FINITE_VALUE");
    const before = await half.parameters();
    await half.backward({ sequences }, { logProb: randomDerivatives(sequences, 3) });
    expect(await codeOf(half.optimStep({ learningRate: 1 }))).toBe("NON_FINITE_VALUE");
    expect(await half.parameters()).toEqual(before);
  }
  const single = await engineOf({ weights });
  const { logProb } = await single.forward({ sequences });
  expect(logProb[0]?.every(Number.isFinite)).toBe(true);
});

test("training in f16 reaches the loss of float32", async () => {
  const tokenIds = [1, 7, 7, 3, 28, 12, 7, 5, 1, 19, 4, 4];
  const lossAfter = async (precision: "f32" | "f16", learningRate: number): Promise<number> => {
    const engine = await engineOf({
      precision,
      ...(precision === "f16" ? { base: "f16", checkpointing: "layer" } : {}),
    });
    const logProb = [new Float32Array(tokenIds.length).fill(-1 / 11)];
    for (let step = 0; step < 60; step++) {
      await engine.backward({ sequences: [{ tokenIds }] }, { logProb });
      await engine.optimStep({ learningRate, maxGradientNorm: 1 });
    }
    const outputs = await engine.forward({ sequences: [{ tokenIds }] });
    return -(outputs.logProb[0] as Float32Array).reduce((sum, value) => sum + value, 0) / 11;
  };
  const [single, half] = [await lossAfter("f32", 0.02), await lossAfter("f16", 0.02)];
  expect(single).toBeLessThan(0.2);
  expect(Math.abs(half - single)).toBeLessThan(0.05);
  expect(await lossAfter("f16", 0)).toBeGreaterThan(3);
});

test("the reference engine and servers refuse f16", async () => {
  const adapter = loudAdapter(TINY);
  const options = { config: TINY, weights: loudWeights(TINY), precision: "f16" } as const;
  for (const device of ["reference-wasm", "http://127.0.0.1:9"] as const) {
    const engine = createEngine({ ...options, device, trains: "lora", adapter });
    expect(await codeOf(engine)).toBe("CAPABILITY_MISSING");
    expect(await codeOf(openSharedBase({ ...options, device }))).toBe("CAPABILITY_MISSING");
  }
});
