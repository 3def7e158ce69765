/**
 * Measures one training step in a process of its own, so that peak memory belongs to it alone:
 * `node --conditions=source bench/measured-step.ts '<MeasuredStepOptions as JSON>'` prints a
 * MeasuredStep as JSON.
 */
import { initializeAdapter } from "@waggle/model";
import type { DecoderConfig, ResidentFormat } from "@waggle/model";
import { peakMemoryBytes } from "../../../test/fixtures/peak-memory.ts";
import { createOnnxEngine } from "../src/onnx/onnx-engine.ts";
import { planMemory } from "../src/memory/memory-plan.ts";
import type { Precision } from "../src/memory/memory-plan.ts";
import { randomBatch, randomDecoder } from "./random-decoder.ts";

export type MeasuredStepOptions = {
  readonly config: DecoderConfig;
  readonly trains: "lora" | "full";
  readonly rank: number;
  readonly base: ResidentFormat;
  readonly precision?: Precision;
  readonly checkpointing: "layer" | "none";
  readonly sequences: number;
  readonly length: number;
  readonly threads: number;
  readonly steps: number;
  readonly maxMicrobatchTokens?: number;
};

export type MeasuredStep = {
  /** Peak resident memory of the process. */
  readonly peakBytes: number;
  /** Resident memory before the engine was created. */
  readonly startBytes: number;
  readonly plannedBytes: number;
  readonly planned: object;
  /** Best of the steps, in seconds. */
  readonly loadSeconds: number;
  readonly forwardSeconds: number;
  readonly backwardSeconds: number;
  readonly optimizerSeconds: number;
};

async function measure(options: MeasuredStepOptions): Promise<MeasuredStep> {
  const { config, trains, rank, base, checkpointing, sequences, length, threads } = options;
  const { precision = "f32" } = options;
  const startBytes = process.memoryUsage.rss();
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    await work();
    return (performance.now() - start) / 1000;
  };
  const loadStart = performance.now();
  const engine = await createOnnxEngine({
    config,
    weights: randomDecoder(config),
    trains,
    base,
    precision,
    checkpointing,
    threads,
    device: "cpu",
    ...(trains === "lora"
      ? { adapter: initializeAdapter(config, { rank, alpha: 32, seed: 1 }) }
      : {}),
    ...(options.maxMicrobatchTokens === undefined
      ? {}
      : { maxMicrobatchTokens: options.maxMicrobatchTokens }),
  });
  const loadSeconds = (performance.now() - loadStart) / 1000;
  const batch = randomBatch(config, sequences, length);
  const logProb = batch.sequences.map(({ tokenIds }) =>
    new Float32Array(tokenIds.length).fill(-1 / (sequences * length)),
  );
  const best = { forward: Infinity, backward: Infinity, optimizer: Infinity };
  for (let step = 0; step < options.steps; step++) {
    const forward = await timed(() => engine.forward(batch));
    const backward = await timed(() => engine.backward(batch, { logProb }));
    const optimizer = await timed(() => engine.optimStep({ learningRate: 1e-4 }));
    best.forward = Math.min(best.forward, forward);
    best.backward = Math.min(best.backward, backward);
    best.optimizer = Math.min(best.optimizer, optimizer);
  }
  await engine.dispose();
  const plan = planMemory({
    config,
    trains,
    rank,
    base,
    precision,
    checkpointing,
    sequences,
    length,
    ...(options.maxMicrobatchTokens === undefined
      ? {}
      : { maxMicrobatchTokens: options.maxMicrobatchTokens }),
  });
  return {
    peakBytes: peakMemoryBytes(),
    startBytes,
    plannedBytes: plan.totalBytes,
    planned: plan.parts,
    loadSeconds,
    forwardSeconds: best.forward,
    backwardSeconds: best.backward,
    optimizerSeconds: best.optimizer,
  };
}

const [, , argument = ""] = process.argv;
process.stdout.write(
  `${JSON.stringify(await measure(JSON.parse(argument) as MeasuredStepOptions))}\n`,
);
