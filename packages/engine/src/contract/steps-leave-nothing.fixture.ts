/**
 * Runs a hundred training steps in a process of its own and prints the memory they left as one JSON
 * line. Arguments: the device, then `layers` to train an adapter layer by layer, or `keep` for the
 * control, which leaks every gradient. Tests only.
 */
import { initializeAdapter, initializeValueHead } from "@waggle/model";
import { createEngine } from "../create-engine.ts";
import type { EngineDevice } from "../create-engine.ts";
import { loudWeights, TINY, variedSequences } from "./train-engine.fixture.ts";

export type MemoryReport = {
  readonly device: string;
  /** Bytes above the level after the first steps: V8's heap, arrays outside it, the process. */
  readonly heap: number;
  readonly arrays: number;
  readonly resident: number;
  /** Bytes of one set of gradients. A leak of one set a step would leave a hundred times as much. */
  readonly gradients: number;
};

/** On a busy machine V8 still recompiles WebAssembly after the first twenty steps. */
const WARM = 60;
const STEPS = 100;
/** Large enough that a leaked buffer stands out; a step still takes only milliseconds. */
const CONFIG = { ...TINY, width: 64, heads: 8, feedForwardSize: 192, vocabularySize: 256 };

const [, , device, mode] = process.argv;
const weights = loudWeights(CONFIG);
/** At this rank an adapter's gradients are about as large as those of all parameters. */
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

/** Memory after two collections, with time in between for finalizers of native arrays. */
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
