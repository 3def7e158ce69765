import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { MeasuredStep } from "../../bench/measured-step.ts";
import { QWEN3_0_6B } from "../../bench/random-decoder.ts";
import { skipOutside } from "../../../../test/fixtures/long.ts";
import { chooseCheckpointing, planMemory } from "./memory-plan.ts";
import { createOnnxEngine } from "../onnx/onnx-engine.ts";
import type { OnnxEngineOptions } from "../onnx/onnx-engine.ts";
import { loudAdapter, loudWeights, TINY } from "../contract/train-engine.fixture.ts";

const STEP = { config: QWEN3_0_6B, trains: "lora", rank: 16, sequences: 1, length: 512 } as const;

test("layer by layer, a larger vocabulary adds only its embedding", () => {
  const plan = (vocabularySize: number): number =>
    planMemory({
      ...STEP,
      config: { ...QWEN3_0_6B, vocabularySize },
      base: "f32",
      checkpointing: "layer",
    }).totalBytes;
  expect(plan(151_936) - plan(1024)).toBe((151_936 - 1024) * 1024 * 4);
});

test("each setting changes its part of the plan", () => {
  const plan = (change: object) =>
    planMemory({ ...STEP, base: "f32", checkpointing: "none", ...change }).parts;
  const whole = plan({});
  expect(plan({ checkpointing: "layer" }).activations).toBeLessThan(whole.activations / 8);
  expect(plan({ checkpointing: "layer" }).effective).toBe(0);
  expect(plan({ base: "int8", checkpointing: "layer" }).base).toBeLessThan(whole.base / 3.4);
  expect(plan({ base: "int4", checkpointing: "layer" }).base).toBeLessThan(whole.base / 4.5);
  expect(plan({ base: "f16", checkpointing: "layer" }).base).toBeLessThan(whole.base / 1.99);
  expect(plan({ precision: "f16" }).effective).toBeGreaterThan(whole.effective);
  expect(plan({ rank: 8 }).trained).toBe(whole.trained / 2);
  const valued = plan({ valueHeads: 1 });
  expect(valued.trained - whole.trained).toBe(4 * 4 * (QWEN3_0_6B.width + 1));
  expect(valued.activations).toBeGreaterThan(whole.activations);
  expect(plan({ length: 256 }).activations).toBeLessThan(whole.activations / 2);
  // sequences beyond one microbatch change nothing
  expect(plan({ sequences: 200 })).toEqual(plan({ sequences: 2 }));
});

test("auto runs small decoders in one graph and large or quantized ones layer by layer", () => {
  const small = { config: TINY, trains: "lora", rank: 4, base: "f32" } as const;
  expect(chooseCheckpointing("auto", small)).toBe("none");
  expect(chooseCheckpointing("auto", { ...small, config: QWEN3_0_6B })).toBe("layer");
  expect(chooseCheckpointing("auto", { ...small, base: "int4" })).toBe("layer");
  expect(chooseCheckpointing("auto", { ...small, memoryLimit: 1e6 })).toBe("layer");
  expect(chooseCheckpointing("none", { ...small, config: QWEN3_0_6B })).toBe("none");
});

test("a plan above the limit is refused before anything is loaded, naming what to lower", async () => {
  const create = (memoryLimit: number, chosen: Partial<OnnxEngineOptions> = {}) =>
    createOnnxEngine({
      config: TINY,
      weights: loudWeights(TINY),
      trains: "lora",
      adapter: loudAdapter(TINY),
      device: "cpu",
      threads: 1,
      memoryLimit,
      ...chosen,
    });
  await expect(create(1e8)).rejects.toMatchObject({
    code: "OUT_OF_MEMORY",
    message: expect.stringMatching(/16 × 64 tokens.*limit is 100 MB.*int8.*rank/s) as string,
  });
  await (await create(1e9)).dispose();
  // only options that were set, and could be set otherwise, are named
  const chosen = create(1e8, { checkpointing: "none", maxMicrobatchTokens: 512 });
  await expect(chosen).rejects.toThrow(/set checkpointing to "layer".*lower maxMicrobatchTokens/);
  await expect(create(1e8)).rejects.not.toThrow(/checkpointing|maxMicrobatchTokens/);
});

/** Sizes at which one part of the plan dominates, small enough for a test. */
const SIZES = [
  {
    title: "activations of a whole graph",
    config: {
      ...TINY,
      vocabularySize: 4096,
      width: 256,
      layers: 6,
      headSize: 64,
      feedForwardSize: 768,
      contextLength: 512,
    },
    checkpointing: "none",
    base: "f32",
  },
  {
    title: "a quantized base with a large vocabulary",
    config: {
      ...TINY,
      vocabularySize: 32_768,
      width: 512,
      layers: 3,
      heads: 8,
      keyValueHeads: 4,
      headSize: 64,
      feedForwardSize: 1536,
      contextLength: 512,
    },
    checkpointing: "layer",
    base: "int8",
  },
  {
    title: "a whole graph in f16, with f16 copies of its matrices",
    config: {
      ...TINY,
      vocabularySize: 16_384,
      width: 512,
      layers: 3,
      heads: 8,
      keyValueHeads: 4,
      headSize: 64,
      feedForwardSize: 1536,
      contextLength: 512,
    },
    checkpointing: "none",
    base: "f32",
    precision: "f16",
  },
] as const;

test.for(SIZES)(
  "the plan is within a third of the measured peak: $title",
  async (size, context) => {
    skipOutside(size.base === "int8", context);
    const options = {
      ...size,
      trains: "lora",
      rank: 8,
      sequences: 1,
      length: 384,
      threads: 2,
      steps: 1,
    };
    const program = join(import.meta.dirname, "../../bench/measured-step.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--conditions=source",
      program,
      JSON.stringify(options),
    ]);
    const { peakBytes, plannedBytes } = JSON.parse(stdout) as MeasuredStep;
    expect(plannedBytes / peakBytes).toBeGreaterThan(0.67);
    expect(plannedBytes / peakBytes).toBeLessThan(1.5);
  },
);
