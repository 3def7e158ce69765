/**
 * The memory that `modelMemory` predicts against WebAssembly's heap once a model has been loaded and its context is full.
 * Runs WASM in Node as in workers. The heap's size is exact and does not depend on the machine.
 */
import createModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import type { CreateOrtModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import type { WeightFormat } from "@waggle/model";
import { createWasmBackend } from "../../src/backend/cpu/wasm-backend.ts";
import { runScoresFor } from "../../src/limits.ts";
import { modelMemory, wasmLimits } from "../../src/store/model-memory.ts";
import { BENCH_CONFIGS, benchPrompt, benchWeights, sizeLabel } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { benchRow } from "../row.ts";
import type { Scenario } from "../scenario.ts";

const CONTEXT = 512;
/** Most relative error of a prediction. */
const MOST_ERROR = 0.15;
/** Formats, and whether quantized matrices are expanded to float32, as those of models up to 350 M parameters are. */
const FORMATS: readonly (readonly [WeightFormat, isExpanded: boolean])[] = [
  ["f32", false],
  ["int8", true],
  ["int4", true],
  ["int8", false],
  ["int4", false],
];

export const memory: Scenario = {
  name: "memory",
  description: "predicted memory of a model on WASM against the heap that it takes",
  run: async function* ({ quick, report }) {
    for (const model of quick ? (["nano"] as const) : (["medium", "small"] as const)) {
      for (const [dtype, isExpanded] of FORMATS) {
        report(`${dtype}${isExpanded ? " expanded" : ""} ${sizeLabel(model)}`);
        const expandedBytes = isExpanded ? Infinity : 0;
        const predicted = modelMemory(BENCH_CONFIGS[model], {
          dtype,
          contextLength: CONTEXT,
          limits: { ...wasmLimits(), expandedBytes },
        }).total;
        const measured = await heapOf(model, dtype, isExpanded);
        yield benchRow({
          name: `memory ${sizeLabel(model)} ${dtype}${isExpanded ? " expanded" : ""}`,
          ours: predicted / 2 ** 20,
          peer: measured / 2 ** 20,
          peerName: "measured",
          unit: "MiB",
          agree: Math.abs(predicted / measured - 1) <= MOST_ERROR,
        });
      }
    }
  },
};

/** Bytes of the heap after a full context, some steps, and a run with as many scores as fit. */
async function heapOf(
  model: BenchModelName,
  dtype: WeightFormat,
  expandsQuantized: boolean,
): Promise<number> {
  const config = BENCH_CONFIGS[model];
  let heapBytes = (): number => 0;
  const noting: CreateOrtModule = async (options) => {
    const module = await createModule(options);
    heapBytes = () => module.HEAPU8.length;
    return module;
  };
  const backend = await createWasmBackend({
    config,
    weights: benchWeights(model),
    dtype,
    expandsQuantized,
    contextLength: CONTEXT,
    threads: 1,
    createModule: noting,
  });
  const session = await backend.open(null);
  const cache = await session.createCache();
  const distribution = { temperature: 1, topK: 1, topP: 1 };
  const output = { kind: "sample", distribution, uniform: 0.5, allowed: null } as const;
  const prompt = benchPrompt(model, CONTEXT - 4);
  for (const tokenIds of [prompt, [1], [2], [3]]) {
    await session.run([{ cache, tokenIds, output }]);
  }
  cache.dispose();
  const targets = prompt.slice(0, runScoresFor(config));
  const scored = { kind: "score", targets, distribution } as const;
  await session.run([{ cache: await session.createCache(), tokenIds: targets, output: scored }]);
  const bytes = heapBytes();
  await backend.dispose();
  return bytes;
}
