/**
 * Speed of the ONNX engine, as one JSON line: `node --conditions=source src/engine.bench.ts`.
 * Best of several runs, since other processes only ever make a run slower.
 */
import { availableParallelism } from "node:os";
import { initializeAdapter, initializeDecoder, parameterCount } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import type { TrainBatch, TrainEngine } from "@waggle/protocol";
import { createOnnxEngine } from "./onnx-engine.ts";

const CONFIG: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 768,
  width: 128,
  layers: 4,
  heads: 4,
  keyValueHeads: 2,
  headSize: 32,
  feedForwardSize: 256,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 512,
  ropeScaling: null,
};
const RUNS = 12;

type Timing = {
  readonly trains: "lora" | "full";
  readonly sequences: number;
  readonly length: number;
  /** Tokens per second of `forward`, of `backward`, and of `backward` with `optimStep`. */
  readonly forward: number;
  readonly backward: number;
  readonly step: number;
};

async function measure(
  trains: "lora" | "full",
  sequences: number,
  length: number,
): Promise<Timing> {
  const weights = initializeDecoder(CONFIG, 1);
  const adapter = initializeAdapter(CONFIG, { rank: 8, alpha: 16, seed: 1 });
  const engine = await createOnnxEngine({
    config: CONFIG,
    weights,
    trains,
    ...(trains === "lora" ? { adapter } : {}),
  });
  const batch = {
    sequences: Array.from({ length: sequences }, (_, sequence) => ({
      tokenIds: Array.from(
        { length },
        (_, i) => (i * 7919 + i * i * 31 + sequence * 104_729) % CONFIG.vocabularySize,
      ),
    })),
  };
  const tokens = sequences * length;
  const [forward, backward, step] = await best(engine, batch);
  await engine.dispose();
  return {
    trains,
    sequences,
    length,
    forward: Math.round(tokens / forward),
    backward: Math.round(tokens / backward),
    step: Math.round(tokens / (backward + step)),
  };
}

/** Shortest seconds of forward, backward and optimStep. */
async function best(engine: TrainEngine, batch: TrainBatch): Promise<[number, number, number]> {
  const logProb = batch.sequences.map(({ tokenIds }) =>
    new Float32Array(tokenIds.length).fill(-1e-3),
  );
  const shortest: [number, number, number] = [Infinity, Infinity, Infinity];
  for (let run = 0; run < RUNS; run++) {
    const work = [
      () => engine.forward(batch),
      () => engine.backward(batch, { logProb }),
      () => engine.optimStep({ learningRate: 1e-3, maxGradientNorm: 1 }),
    ];
    for (const [index, part] of work.entries()) {
      const start = performance.now();
      await part();
      const seconds = (performance.now() - start) / 1000;
      shortest[index] = Math.min(shortest[index] as number, seconds);
    }
  }
  return shortest;
}

const timings: Timing[] = [];
for (const trains of ["full", "lora"] as const) {
  for (const [sequences, length] of [
    [8, 128],
    [16, 256],
  ] as const) {
    timings.push(await measure(trains, sequences, length));
  }
}
process.stdout.write(
  `${JSON.stringify({ parameters: parameterCount(CONFIG), threads: availableParallelism(), tokensPerSecond: timings })}\n`,
);
