/**
 * This package's WebAssembly kernels against onnxruntime as it ran the same quantized model before: expanded to float32, or
 * in its own products as for models too large to expand. Runs in Node as in workers, one thread.
 */
import createModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import type { CreateOrtModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import { createWasmBackend } from "../../src/backend/cpu/wasm-backend.ts";
import { createSimdBackend } from "../../src/backend/simd/simd-backend.ts";
import { SimdMemory } from "../../src/backend/simd/simd-memory.ts";
import { BENCH_CONFIGS, benchWeights, sizeLabel } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { interleavedPairs } from "../paired-blocks.ts";
import { benchRow, pairedRow } from "../row.ts";
import type { BenchRow } from "../row.ts";
import type { Scenario } from "../scenario.ts";
import { processorMs, READER_PROMPT, StepReader } from "../step-reader.ts";

/** Models, and whether onnxruntime expands their matrices. `wide` stands for models too large for that. */
const MODELS: readonly (readonly [BenchModelName, isExpanded: boolean])[] = [
  ["small", true],
  ["medium", true],
  ["wide", false],
];

export const kernels: Scenario = {
  name: "kernels",
  description: "int8 and int4 on WASM: this package's kernels against onnxruntime",
  run: async function* ({ quick, report }) {
    for (const [model, isExpanded] of quick ? MODELS.slice(0, 1) : MODELS) {
      for (const dtype of ["int8", "int4"] as const) {
        report(`${dtype} ${sizeLabel(model)}`);
        yield* await compare(model, dtype, isExpanded, quick ? 3 : 9);
      }
    }
  },
};

async function compare(
  model: BenchModelName,
  dtype: "int8" | "int4",
  expandsQuantized: boolean,
  pairs: number,
): Promise<BenchRow[]> {
  const config = BENCH_CONFIGS[model];
  const options = { config, weights: benchWeights(model), dtype, contextLength: 256 };
  let heapOf = (): number => 0;
  const noting: CreateOrtModule = async (asked) => {
    const module = await createModule(asked);
    heapOf = () => module.HEAPU8.length;
    return module;
  };
  const memory = new SimdMemory();
  const began = processorMs();
  const ours = await StepReader.open(model, await createSimdBackend({ ...options, memory }));
  const between = processorMs();
  const peer = await StepReader.open(
    model,
    await createWasmBackend({ ...options, expandsQuantized, threads: 1, createModule: noting }),
  );
  const firstTokenMs = [between - began, processorMs() - between] as const;
  // In turns, so that other load on the machine affects both.
  for (let pair = 0; pair < 4 * pairs; pair++) for (const one of [ours, peer]) await one.step();
  for (let pair = 0; pair < pairs; pair++) for (const one of [ours, peer]) await one.prefill();
  const agree = ours.tokenIds.join() === peer.tokenIds.join();
  const peerName = expandsQuantized ? "onnxruntime, expanded" : "onnxruntime, MatMulNBits";
  const text = (what: string, unit: string) => ({
    name: `${what} ${sizeLabel(model)} ${dtype} p${READER_PROMPT} t1`,
    peerName,
    unit,
    agree,
  });
  const rows = [
    pairedRow(text("decode", "ms"), interleavedPairs(ours.steps, peer.steps)),
    pairedRow(text("prefill", "ms"), interleavedPairs(ours.prefills, peer.prefills)),
    benchRow({
      ...text("memory", "MiB"),
      ours: memory.floats.byteLength / 2 ** 20,
      peer: heapOf() / 2 ** 20,
    }),
    benchRow({ ...text("first-token", "ms"), ours: firstTokenMs[0], peer: firstTokenMs[1] }),
  ];
  for (const one of [ours, peer]) await one.close();
  return rows;
}
