/**
 * Memory of eight models over one base compared with one model and with bases of their own. Runs in
 * its own process with `none` or `layer` as argument and prints one JSON line. Tests only.
 */
import { initializeAdapter, initializeDecoder } from "@waggle/model";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { createOnnxEngine, openOnnxBase } from "./onnx/onnx-engine.ts";
import { TINY } from "./contract/train-engine.fixture.ts";

/** In bytes. */
export type BaseMemory = {
  readonly base: number;
  readonly adapter: number;
  /** More than a base with one model: arrays, and the whole process. */
  readonly arraysOfSeven: number;
  readonly residentOfSeven: number;
  readonly arraysOfTwoAlone: number;
};

const CONFIG = {
  ...TINY,
  vocabularySize: 64,
  width: 256,
  layers: 6,
  headSize: 64,
  feedForwardSize: 768,
};

const checkpointing = process.argv[2] as "none" | "layer";
const adapter = initializeAdapter(CONFIG, { rank: 2, alpha: 4, seed: 2 });
const options = { config: CONFIG, checkpointing, device: "cpu", threads: 1 } as const;

async function step(engine: TrainEngine): Promise<void> {
  const sequences = [{ tokenIds: [1, 2, 3, 4, 5, 6, 7, 8] }];
  await engine.backward({ sequences }, { logProb: [new Float32Array(8).fill(-0.1)] });
  await engine.optimStep({ learningRate: 1e-3 });
}

async function used(): Promise<NodeJS.MemoryUsage> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage();
}

function bytesOf(tensors: TensorMap): number {
  return [...tensors.values()].reduce((sum, { data }) => sum + data.byteLength, 0);
}

const weights = initializeDecoder(CONFIG, 1);
const base = await openOnnxBase({ ...options, weights });
await step(await base.createModel("0", { adapter }));
const one = await used();
for (let model = 1; model < 8; model++) {
  await step(await base.createModel(String(model), { adapter }));
}
const eight = await used();

const alone: TrainEngine[] = [];
for (let model = 0; model < 2; model++) {
  // separate weights, as if each base were read from a file
  const own = initializeDecoder(CONFIG, 1);
  const engine = await createOnnxEngine({ ...options, weights: own, trains: "lora", adapter });
  await step(engine);
  alone.push(engine);
}
const apart = await used();

const report: BaseMemory = {
  base: bytesOf(weights),
  adapter: bytesOf(adapter.tensors),
  arraysOfSeven: eight.arrayBuffers - one.arrayBuffers,
  residentOfSeven: eight.rss - one.rss,
  arraysOfTwoAlone: apart.arrayBuffers - eight.arrayBuffers,
};
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
