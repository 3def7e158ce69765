/**
 * The memory that `modelMemory` predicts against WebAssembly's heap once a model has been loaded and its context is full.
 * Runs WASM in Node as in workers. The heap's size is exact and does not depend on the machine.
 */
import createModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import type { CreateOrtModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import type { WeightFormat } from "@waggle/model";
import { createWasmBackend } from "../../src/backend/cpu/wasm-backend.ts";
import { createSimdBackend } from "../../src/backend/simd/simd-backend.ts";
import { SimdMemory } from "../../src/backend/simd/simd-memory.ts";
import { runScoresFor } from "../../src/limits.ts";
import { modelMemory, wasmLimits } from "../../src/store/model-memory.ts";
import { BENCH_CONFIGS, benchPrompt, benchWeights, sizeLabel } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { benchRow } from "../row.ts";
import type { Scenario } from "../scenario.ts";

const CONTEXT = 512;
/** Most relative error of a prediction. */
const MOST_ERROR = 0.15;
/** How a model runs: on onnxruntime in f32, or expanded to it, as with threads; or on this package's kernels. */
const FORMATS: readonly (readonly [WeightFormat, "onnxruntime" | "kernels"])[] = [
  ["f32", "onnxruntime"],
  ["int8", "onnxruntime"],
  ["int4", "onnxruntime"],
  ["int8", "kernels"],
  ["int4", "kernels"],
];

export const memory: Scenario = {
  name: "memory",
  description: "predicted memory of a model on WASM against the heap that it takes",
  run: async function* ({ quick, report }) {
    for (const model of quick ? (["nano"] as const) : (["medium", "small"] as const)) {
      for (const [dtype, on] of FORMATS) {
        report(`${dtype} on ${on} ${sizeLabel(model)}`);
        const predicted = modelMemory(BENCH_CONFIGS[model], {
          dtype,
          contextLength: CONTEXT,
          limits: { ...wasmLimits(), expandedBytes: Infinity, hasThreads: on === "onnxruntime" },
        }).total;
        const measured = await heapOf(model, dtype, on);
        yield benchRow({
          name: `memory ${sizeLabel(model)} ${dtype} on ${on}`,
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
  on: "onnxruntime" | "kernels",
): Promise<number> {
  const config = BENCH_CONFIGS[model];
  let heapBytes = (): number => 0;
  const noting: CreateOrtModule = async (options) => {
    const module = await createModule(options);
    heapBytes = () => module.HEAPU8.length;
    return module;
  };
  const options = { config, weights: benchWeights(model), dtype, contextLength: CONTEXT };
  const memory = new SimdMemory();
  if (on === "kernels") heapBytes = () => memory.floats.byteLength;
  const backend =
    on === "kernels"
      ? await createSimdBackend({ ...options, memory })
      : await createWasmBackend({
          ...options,
          expandsQuantized: true,
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
