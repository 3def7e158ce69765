/**
 * The memory of one model on WASM, measured in a process of its own, as a worker runs it:
 * `model-memory <width> <layers> <dtype> <contextLength>`. Prints one line of JSON, in bytes.
 */
import createModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import { tensorMapSource, initializeDecoder, decoderParameters } from "@waggle/model";
import type { DecoderConfig, TensorSource, WeightFormat } from "@waggle/model";
import { createWasmBackend } from "../src/backend/cpu/wasm-backend.ts";
import { modelMemory, wasmLimits } from "../src/store/model-memory.ts";
import { BENCH_CONFIGS } from "./bench-models.ts";

const [size = "15M", dtype = "f32", context = "512", exp = "yes"] = process.argv.slice(2);
const CONFIGS: Record<string, DecoderConfig> = {
  "15M": BENCH_CONFIGS.small,
  "80M": {
    ...BENCH_CONFIGS.small,
    vocabularySize: 32000,
    width: 640,
    layers: 12,
    heads: 10,
    keyValueHeads: 5,
    feedForwardSize: 1792,
    contextLength: 4096,
  },
  "30M": {
    ...BENCH_CONFIGS.small,
    vocabularySize: 16000,
    width: 448,
    layers: 8,
    heads: 7,
    keyValueHeads: 7,
    feedForwardSize: 1280,
    contextLength: 4096,
  },
};
const config = CONFIGS[size] as DecoderConfig;
const contextLength = Number(context);
const shapes = new Map(decoderParameters(config).map(({ name, shape }) => [name, shape]));
const numbers = new Float32Array(4e6).map(() => Math.random() * 0.1 - 0.05);
const weights: TensorSource = {
  tensors: new Map([...shapes].map(([name, shape]) => [name, { dtype: "F32" as const, shape }])),
  read: async (name, rows) => {
    const [count = 1, ...rest] = shapes.get(name) as number[];
    const { begin, end } = rows ?? { begin: 0, end: count };
    const n = (end - begin) * rest.reduce((a, b) => a * b, 1);
    const data = n <= numbers.length ? numbers.slice(0, n) : new Float32Array(n).fill(0.01);
    return { shape: [end - begin, ...rest], data };
  },
  readBytes: async () => new Uint8Array(),
};
let heap: { HEAPU8: Uint8Array } | null = null;
const module = async (given: never) =>
  (heap = await (createModule as unknown as (x: never) => Promise<never>)(given)) as never;
const gc = globalThis.gc as () => void;
const rss = () => {
  gc();
  return process.memoryUsage().rss;
};
const tiny = await createWasmBackend({
  config: {
    ...config,
    vocabularySize: 64,
    layers: 1,
    width: 64,
    heads: 1,
    keyValueHeads: 1,
    feedForwardSize: 64,
  },
  weights: initializeDecoder(
    {
      ...config,
      vocabularySize: 64,
      layers: 1,
      width: 64,
      heads: 1,
      keyValueHeads: 1,
      feedForwardSize: 64,
    },
    1,
  ),
  contextLength: 64,
  threads: 1,
  createModule,
});
const s = await tiny.open(null);
await s.release();
await tiny.dispose();
const before = rss();
const ab = process.memoryUsage().arrayBuffers;
const backend = await createWasmBackend({
  config,
  weights,
  dtype: dtype as WeightFormat,
  contextLength,
  threads: 1,
  createModule: module,
  expandsQuantized: exp === "yes",
});
const session = await backend.open(null);
const loadedPeak = process.resourceUsage().maxRSS * 1024 - before;
const h1 = heap!.HEAPU8.length;
for (let i = 0; i < 3; i++) {
  gc();
  await new Promise((r) => setTimeout(r, 50));
}
const loaded = rss() - before;
const ab1 = process.memoryUsage().arrayBuffers - ab;
const cache = await session.createCache();
const output = {
  kind: "sample",
  distribution: { temperature: 1, topK: 1, topP: 1 },
  uniform: 0.5,
  allowed: null,
} as const;
await session.run([
  {
    cache,
    tokenIds: Array.from(
      { length: contextLength - 8 },
      (_, i) => (i * i * 7 + 5) % config.vocabularySize,
    ),
    output,
  },
]);
for (let i = 0; i < 4; i++) await session.run([{ cache, tokenIds: [i], output }]);
const used = rss() - before;
const p = modelMemory(config, {
  dtype: dtype as WeightFormat,
  contextLength,
  ...(exp === "yes" && { limits: wasmLimits() }),
});
const M = (n: number) => Math.round(n / 2 ** 20);
console.log(
  JSON.stringify({
    size,
    dtype,
    exp,
    contextLength,
    predicted: M(p.total),
    weights: M(p.weights),
    states: M(p.states),
    scratch: M(p.scratch),
    loaded: M(loaded),
    loadedPeak: M(loadedPeak),
    heapLoaded: M(h1),
    heapUsed: M(heap!.HEAPU8.length),
    used: M(used),
    ab: M(ab1),
    peak: M(process.resourceUsage().maxRSS * 1024 - before),
    backend: M(Object.values(backend.memory()).reduce((a, b) => a + b, 0)),
  }),
);
process.exit(0);
