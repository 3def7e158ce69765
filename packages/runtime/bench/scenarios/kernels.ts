/**
 * This package's WebAssembly kernels against onnxruntime as it ran the same model before: plain, expanded to float32, or
 * in its own quantized products as for models too large to expand. Runs in Node as in workers, one thread.
 */
import { initializeAdapter } from "@waggle/model";
import type { WeightFormat } from "@waggle/model";
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

/** A model as a page runs it, and what onnxruntime does with its matrices. */
type Case = {
  readonly model: BenchModelName;
  readonly dtype: WeightFormat;
  readonly promptLength: number;
  /** True if onnxruntime expands quantized matrices. */
  readonly isExpanded: boolean;
};

/** `wide` stands for models too large to expand. Conversations with the small models begin with about 400 tokens. */
const CASES: readonly Case[] = [
  { model: "nano", dtype: "f32", promptLength: 400, isExpanded: false },
  { model: "default", dtype: "f32", promptLength: 400, isExpanded: false },
  { model: "small", dtype: "f32", promptLength: READER_PROMPT, isExpanded: false },
  ...(["small", "medium", "wide"] as const).flatMap((model) =>
    (["int8", "int4"] as const).map((dtype): Case => ({
      model,
      dtype,
      promptLength: READER_PROMPT,
      isExpanded: model !== "wide",
    })),
  ),
];

/** Rank of the adapter that is opened. */
const RANK = 16;

export const kernels: Scenario = {
  name: "kernels",
  description: "models on WASM: this package's kernels against onnxruntime",
  run: async function* ({ quick, report }) {
    for (const one of quick ? CASES.slice(0, 3) : CASES) {
      report(`${one.dtype} ${sizeLabel(one.model)}`);
      yield* await compare(one, quick ? 3 : 9);
    }
  },
};

async function compare(
  { model, dtype, promptLength, isExpanded }: Case,
  pairs: number,
): Promise<BenchRow[]> {
  const config = BENCH_CONFIGS[model];
  const contextLength = promptLength + 192;
  const options = { config, weights: benchWeights(model), dtype, contextLength };
  let heapOf = (): number => 0;
  const noting: CreateOrtModule = async (asked) => {
    const module = await createModule(asked);
    heapOf = () => module.HEAPU8.length;
    return module;
  };
  const memory = new SimdMemory();
  const began = processorMs();
  const simd = await createSimdBackend({ ...options, memory });
  const ours = await StepReader.open(model, simd, promptLength);
  const between = processorMs();
  const wasm = await createWasmBackend({
    ...options,
    expandsQuantized: isExpanded,
    threads: 1,
    createModule: noting,
  });
  const peer = await StepReader.open(model, wasm, promptLength);
  const firstTokenMs = [between - began, processorMs() - between] as const;
  // In turns, so that other load on the machine affects both.
  for (let pair = 0; pair < 4 * pairs; pair++) for (const one of [ours, peer]) await one.step();
  for (let pair = 0; pair < pairs; pair++) for (const one of [ours, peer]) await one.prefill();
  // Before adapters take memory.
  const peerHeap = heapOf();
  const agree = ours.tokenIds.join() === peer.tokenIds.join();
  const adapter = initializeAdapter(config, { rank: RANK, alpha: RANK, seed: 1 });
  const adapters = [ours, peer].map((): number[] => []);
  for (let pair = 0; pair < pairs; pair++) {
    for (const [side, one] of [ours, peer].entries()) {
      adapters[side]?.push(await one.openAdapter(adapter));
    }
  }
  const text = (what: string, unit: string) => ({
    name: `${what} ${sizeLabel(model)} ${dtype} p${promptLength} t1`,
    peerName: peerNameOf(dtype, isExpanded),
    unit,
    agree,
  });
  const rows = [
    pairedRow(text("decode", "ms"), interleavedPairs(ours.steps, peer.steps)),
    pairedRow(text("prefill", "ms"), interleavedPairs(ours.prefills, peer.prefills)),
    pairedRow(text("adapter", "ms"), interleavedPairs(adapters[0] ?? [], adapters[1] ?? [])),
    benchRow({
      ...text("memory", "MiB"),
      ours: memory.floats.byteLength / 2 ** 20,
      peer: peerHeap / 2 ** 20,
    }),
    benchRow({ ...text("first-token", "ms"), ours: firstTokenMs[0], peer: firstTokenMs[1] }),
  ];
  for (const one of [ours, peer]) await one.close();
  return rows;
}

function peerNameOf(dtype: WeightFormat, isExpanded: boolean): string {
  if (dtype === "f32") return "onnxruntime";
  return isExpanded ? "onnxruntime, expanded" : "onnxruntime, MatMulNBits";
}
