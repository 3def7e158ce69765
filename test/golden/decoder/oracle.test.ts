/**
 * llama.cpp as an independent reference: it shares neither ONNX nor code of this project with the graph, and does not use
 * PyTorch like the golden files. The GGUF file is made from the same tensors.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOnnxEngine } from "@waggle/engine";
import type { Adapter } from "@waggle/model";
import { mergeAdapter } from "@waggle/model";
import { FULL_SUPPORT } from "@waggle/protocol";
import type { TensorMap } from "@waggle/protocol";
import { createNodePolicy } from "@waggle/runtime/node";
import { getLlama, LlamaLogLevel } from "node-llama-cpp";
import type { Llama, Token } from "node-llama-cpp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeGguf } from "./gguf.ts";
import { GOLDEN_TYPES } from "./golden.ts";
import type { GoldenDecoder } from "./golden.ts";
import { graphLogits, readGolden } from "./golden-files.ts";
import { largestDifference } from "./graph-runner.ts";

let llama: Llama;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waggle-oracle-"));
  llama = await getLlama({ build: "never", skipDownload: true, gpu: false, logLevel: LlamaLogLevel.error });
});
afterAll(async () => {
  await llama.dispose();
  rmSync(folder, { recursive: true });
});

/** Logits `[T][V]` after every token of one sequence. */
async function oracleLogits(
  { config }: GoldenDecoder,
  weights: TensorMap,
  tokenIds: readonly number[],
): Promise<number[][]> {
  const path = join(folder, `${config.modelType}.gguf`);
  writeFileSync(path, writeGguf(config, weights));
  const model = await llama.loadModel({ modelPath: path, gpuLayers: 0, useMmap: false });
  const context = await model.createContext({
    contextSize: 256,
    threads: 2,
    flashAttention: false,
    // The default of float16 keys and values would cost the last digits.
    experimentalKvCacheKeyType: "F32",
    experimentalKvCacheValueType: "F32",
  });
  const results = await context
    .getSequence()
    .controlledEvaluate(
      tokenIds.map((id) => [id as Token, { generateNext: { logits: true, token: true } }]),
    );
  await context.dispose();
  await model.dispose();
  return results.map((result) => {
    const row = Array.from({ length: config.vocabularySize }, () => NaN);
    for (const [id, logit] of result?.next.logits ?? []) row[id] = logit;
    return row;
  });
}

async function worstGap(golden: GoldenDecoder, adapter: Adapter | null): Promise<number> {
  const { tokenIds } = golden.cases.plain.sequences[0]!;
  const { config } = golden;
  const weights = adapter ? mergeAdapter(config, golden.weights, adapter) : golden.weights;
  const [graph] = await graphLogits(golden, [tokenIds], adapter);
  const oracle = await oracleLogits(golden, weights, tokenIds);
  expect(oracle.length).toBe(tokenIds.length);
  return Math.max(...oracle.map((row, t) => largestDifference(row, graph![t]!)));
}

for (const modelType of GOLDEN_TYPES) {
  // ggml uses a float16 table for gemma3's GELU. A wrong window would be off by 0.1.
  const budget = modelType === "gemma3_text" ? 1e-2 : 1e-4;
  test(`llama.cpp gives the inference graph's logits for ${modelType}`, async () => {
    expect(await worstGap(await readGolden(modelType), null)).toBeLessThan(budget);
  });

  test(`llama.cpp on merged weights gives the logits of the ${modelType} graph with its adapter`, async () => {
    const golden = await readGolden(modelType);
    expect(await worstGap(golden, golden.adapter)).toBeLessThan(budget);
  });
}

for (const modelType of ["qwen3", "llama"] as const) {
  test(`training engine and runtime give llama.cpp's log-probs for ${modelType}`, async () => {
    const golden = await readGolden(modelType);
    const { config, weights, cases } = golden;
    const { tokenIds } = cases.plain.sequences[0]!;
    const oracle = await oracleLogits(golden, weights, tokenIds);
    const expected = tokenIds.slice(1).map((id, t) => logSoftmax(oracle[t]!)[id]!);

    const engine = await createOnnxEngine({ config, weights, trains: "full" });
    const outputs = await engine.forward({ sequences: [{ tokenIds }] });
    const policy = await createNodePolicy({ config, weights, baseModel: "0".repeat(64) });
    const scores = await policy.score({ tokenIds, sampling: FULL_SUPPORT });
    await engine.dispose();
    await policy.dispose();

    expect(largestDifference([...outputs.rawLogProb[0]!].slice(1), expected)).toBeLessThan(1e-4);
    expect(largestDifference(scores.rawLogProbs.slice(1), expected)).toBeLessThan(1e-4);
  });
}

function logSoftmax(logits: readonly number[]): number[] {
  const max = Math.max(...logits);
  const logSum = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - max), 0));
  return logits.map((logit) => logit - max - logSum);
}
