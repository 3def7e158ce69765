/** The GGUF writer, read back by llama.cpp's package: its header, its tensors, and its blocks. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromFloat16Bits, initializeDecoder } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import { getLlama, LlamaLogLevel, readGgufFileInfo } from "node-llama-cpp";
import type { Token } from "node-llama-cpp";
import { afterAll, expect, test } from "vitest";
import { ggmlBlocks } from "./gguf-blocks.ts";
import type { GgmlType } from "./gguf-blocks.ts";
import { ggufParts, writeGguf } from "./gguf.ts";
import { ggufTokenIds, ggufWord } from "./gguf-words.ts";

const CONFIG: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 96,
  width: 64,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  headSize: 32,
  feedForwardSize: 96,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 64,
  ropeScaling: null,
};
/** Larger than fresh ones, so that logits differ enough to see errors. */
const WEIGHTS = new Map(
  [...initializeDecoder(CONFIG, 3)].map(([name, { shape, data }]) => [
    name,
    { shape, data: shape.length === 1 ? data : data.map((value) => 6 * value) },
  ]),
);

const folder = mkdtempSync(join(tmpdir(), "waggle-gguf-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(format: GgmlType): string {
  const path = join(folder, `${format}.gguf`);
  writeFileSync(path, Buffer.concat([...ggufParts(CONFIG, WEIGHTS, format)]));
  return path;
}

test("the parts of a float32 file are its bytes", () => {
  const joined = Buffer.concat([...ggufParts(CONFIG, WEIGHTS, "f32")]);
  expect(joined.equals(writeGguf(CONFIG, WEIGHTS))).toBe(true);
});

test("a reader finds the config, the words and the formats of the tensors", async () => {
  const { metadata, fullTensorInfo } = await readGgufFileInfo(fileOf("q4_0"), {
    logWarnings: false,
  });
  expect(metadata.general.architecture).toBe("qwen3");
  const { tokens } = metadata.tokenizer.ggml;
  expect([tokens.length, tokens[0], tokens[95]]).toEqual([96, "Ġaaaa", "Ġaadr"]);
  const found = Object.fromEntries(
    (fullTensorInfo ?? []).map(({ name, dimensions, ggmlType }) => [
      name,
      [ggmlType, ...dimensions.map(Number)],
    ]),
  );
  expect(Object.keys(found)).toHaveLength(WEIGHTS.size);
  expect(found["token_embd.weight"]).toEqual([8, 64, 96]);
  expect(found["blk.1.attn_k.weight"]).toEqual([2, 64, 64]);
  expect(found["blk.1.ffn_down.weight"]).toEqual([2, 96, 64]);
  expect(found["blk.0.attn_norm.weight"]).toEqual([0, 64]);
});

test("blocks of 8 and 4 bits hold the numbers to half a step", () => {
  const data = Float32Array.from({ length: 128 }, (_, i) => Math.sin(i * i) * (1 + (i >> 5)));
  data.fill(0, 96); // a block of zeros
  const eight = ggmlBlocks("q8_0", data);
  const four = ggmlBlocks("q4_0", data);
  expect([eight.length, four.length]).toEqual([4 * 34, 4 * 18]);
  for (let i = 0; i < data.length; i++) {
    const [block, at] = [i >> 5, i & 31];
    const scales = [eight.subarray(34 * block), four.subarray(18 * block)].map((bytes) =>
      Number(fromFloat16Bits(Uint16Array.of(bytes[0]! | (bytes[1]! << 8)))[0]),
    );
    const byte = four[18 * block + 2 + (at & 15)]!;
    const units = [
      new Int8Array(eight.buffer)[34 * block + 2 + at]!,
      (at < 16 ? byte & 15 : byte >> 4) - 8,
    ];
    for (const [format, scale] of scales.entries()) {
      const error = Math.abs(units[format]! * scale - data[i]!);
      // Float16 rounds the scale, and the positive end of 4 bits is cut at 7 of 8 steps.
      expect(error).toBeLessThanOrEqual(Math.abs(scale) * [0.57, 1.01][format]!);
    }
  }
});

test("llama.cpp reads the words, and computes with quantized weights nearly what it does with plain ones", async () => {
  const llama = await getLlama({
    build: "never",
    skipDownload: true,
    gpu: false,
    logLevel: LlamaLogLevel.error,
  });
  const ids = [5, 17, 80, 2, 41, 9] as Token[];
  const logits = new Map<GgmlType, number[]>();
  for (const format of ["f32", "q8_0", "q4_0"] as const) {
    const model = await llama.loadModel({
      modelPath: fileOf(format),
      gpuLayers: 0,
      useMmap: false,
    });
    const context = await model.createContext({ contextSize: 64, threads: 1 });
    const results = await context
      .getSequence()
      .controlledEvaluate(
        ids.map((id) => [id, { generateNext: { logits: true, token: true } }] as const),
      );
    const last = results.at(-1)?.next.logits ?? new Map<Token, number>();
    logits.set(
      format,
      Array.from({ length: 96 }, (_, id) => last.get(id as Token) ?? NaN),
    );
    const text = [...ids, 95, 0].map(ggufWord).join("");
    expect(model.tokenize(text)).toEqual([...ids, 95, 0]);
    expect(ggufTokenIds(model.detokenize([...ids, 95 as Token]))).toEqual([...ids, 95]);
    await context.dispose();
    await model.dispose();
  }
  await llama.dispose();
  const plain = logits.get("f32")!;
  const spread = Math.sqrt(plain.reduce((sum, x) => sum + x * x, 0) / plain.length);
  const errorOf = (format: GgmlType): number =>
    Math.sqrt(
      logits.get(format)!.reduce((sum, x, id) => sum + (x - plain[id]!) ** 2, 0) / plain.length,
    ) / spread;
  expect(errorOf("q8_0")).toBeLessThan(0.03);
  expect(errorOf("q4_0")).toBeLessThan(0.4);
  // Formats that are mixed up would be off by the spread itself, or equal.
  expect(errorOf("q4_0")).toBeGreaterThan(errorOf("q8_0"));
});
