/**
 * A hundred training steps in a process of its own, with what they leave in memory: run by the test
 * with a device as argument, and as second `layers` for an adapter that is trained layer by layer, or
 * `keep` for the control that holds on to every gradient. Prints one JSON line. Tests only.
 */
import { initializeAdapter, initializeValueHead } from "@waggle/model";
import { createEngine } from "../create-engine.ts";
import type { EngineDevice } from "../create-engine.ts";
import { loudWeights, TINY, variedSequences } from "./train-engine.fixture.ts";

export type MemoryReport = {
  readonly device: string;
  /** Bytes beyond those after the first steps: V8's heap, arrays outside of it, the process. */
  readonly heap: number;
  readonly arrays: number;
  readonly resident: number;
  /** Bytes of one set of gradients, what a leak of one buffer a step would leave a hundred times. */
  readonly gradients: number;
};

/** On a busy machine V8 still compiles WebAssembly again after the first twenty. */
const WARM = 60;
const STEPS = 100;
/** Large enough that a kept buffer stands out, and a step takes some milliseconds. */
const CONFIG = { ...TINY, width: 64, heads: 8, feedForwardSize: 192, vocabularySize: 256 };

const [, , device, mode] = process.argv;
const weights = loudWeights(CONFIG);
/** Of a rank at which its gradients are about those of all parameters. */
const adapter = initializeAdapter(CONFIG, { rank: 48, alpha: 96, seed: 5 });
const engine = await createEngine({
  device: device as EngineDevice,
  config: CONFIG,
  weights,
  threads: 2,
  valueHead: initializeValueHead(CONFIG, { seed: 3 }),
  ...(mode === "layers"
    ? { trains: "lora", checkpointing: "layer", base: "int8", adapter }
    : { trains: "full" }),
});
const sequences = variedSequences(CONFIG);
const values = sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length).fill(0.01));
const logProb = sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length).fill(-0.01));
/** The control's leak. */
const kept: unknown[] = [];

async function step(): Promise<void> {
  await engine.forward({ sequences, values: true });
  await engine.backward({ sequences }, { logProb, values });
  if (mode === "keep") kept.push(await engine.gradients());
  await engine.optimStep({ learningRate: 1e-4, maxGradientNorm: 1 });
}

/** Twice, and time for finalizers of native arrays between. */
async function used(): Promise<NodeJS.MemoryUsage> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage();
}

for (let count = 0; count < WARM; count++) await step();
const before = await used();
for (let count = 0; count < STEPS; count++) await step();
const after = await used();
const report: MemoryReport = {
  device: engine.capabilities().device,
  heap: after.heapUsed - before.heapUsed,
  arrays: after.external - before.external,
  resident: after.rss - before.rss,
  gradients: [...(await engine.parameters()).values()].reduce(
    (sum, { data }) => sum + data.byteLength,
    0,
  ),
};
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
