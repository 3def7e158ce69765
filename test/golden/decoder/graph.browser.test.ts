import { buildDecoderGraph } from "@waggle/model";
import type { DecoderGraphOptions } from "@waggle/model";
import * as ortWasm from "onnxruntime-web/wasm";
import * as ortWebgpu from "onnxruntime-web/webgpu";
import { expect, test } from "vitest";
import { isLong, sampleSize } from "../../fixtures/long.ts";
import { GOLDEN_TYPES, goldenGap, loadGolden } from "./golden.ts";
import type { GoldenDecoder } from "./golden.ts";
import { GraphRunner, largestDifference } from "./graph-runner.ts";
import type { Ort } from "./graph-runner.ts";

/** A prefill beyond the sliding window, then one step. More than 31 tokens at once are wrong on SwiftShader. */
const CHUNKS = [23, 1];

const devices = { wasm: ortWasm as Ort, webgpu: ortWebgpu as Ort };

function readGolden(modelType: string): Promise<GoldenDecoder> {
  return loadGolden(async (name) => {
    const response = await fetch(`/test/golden/decoder/${modelType}/${name}`);
    expect(response.ok).toBe(true);
    return new Uint8Array(await response.arrayBuffer());
  });
}

async function logitsOn(
  device: keyof typeof devices,
  { config, weights, cases }: GoldenDecoder,
  options: Partial<DecoderGraphOptions>,
): Promise<Float32Array[][]> {
  const graph = await buildDecoderGraph(config, weights, { lora: null, ...options });
  const runner = await GraphRunner.open(devices[device], graph, config, {
    executionProviders: [device],
  });
  const { tokenIds } = cases.plain.sequences[1]!;
  const logits = await runner.logits([tokenIds], CHUNKS);
  await runner.release();
  return logits;
}

/**
 * The runtime's golden test covers the others on WebGPU. Pipelines take seconds to compile, so `npm test` runs the one
 * with the most kernels that no other has.
 */
const ON_WEBGPU = (["lfm2", "gemma3_text", "qwen2", "smollm3"] as const).slice(0, sampleSize(1, 4));

test.each([
  ...GOLDEN_TYPES.map((type) => ["wasm", type] as const),
  ...ON_WEBGPU.map((type) => ["webgpu", type] as const),
])("on %s, the graph of %s gives PyTorch's logits", async (device, type) => {
  const golden = await readGolden(type);
  const { logits } = golden.cases.plain;
  const actual = await logitsOn(device, golden, {});
  expect(goldenGap({ logits: [logits[1]!] }, actual)).toBeLessThan(1e-4);
});

// `agreement` has int4 in npm test. gemma3's width of 48 is one and a half blocks; int4 has its embedding and logits in int8.
test.runIf(isLong())("on webgpu, an int4 graph gives wasm's logits", async () => {
  const golden = await readGolden("gemma3_text");
  const [wasm] = await logitsOn("wasm", golden, { dtype: "int4" });
  const [webgpu] = await logitsOn("webgpu", golden, { dtype: "int4" });
  expect(webgpu!.length).toBe(24);
  expect(Math.max(...webgpu!.map((row, t) => largestDifference(row, wasm![t]!)))).toBeLessThan(1e-4);
});
