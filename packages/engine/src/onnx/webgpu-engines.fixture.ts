/**
 * Compares a golden decoder on WebGPU with PyTorch, then all outputs and derivatives with the CPU,
 * and prints one JSON line. The test runs it in a process of its own, with a device as argument
 * (manually also `webgpu in f16` and `webgpu in f16 by layers`, for adapters with f16). It creates
 * one engine of each kind, because a software adapter spends most of the time on pipelines. Tests
 * only.
 */
import { initializeValueHead } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { TokenOutputs, TrainEngine, TrainSequence } from "@waggle/protocol";
import { createEngine } from "../create-engine.ts";
import { readGoldenDecoder } from "../contract/golden-decoder.fixture.ts";

export type WebGpuReport =
  | { readonly code: string }
  | {
      readonly device: string;
      readonly logProbError: number;
      readonly gradientError: number;
      /** Largest distance from the CPU, relative to the largest number. */
      readonly everythingError: number;
    };

/** Temperatures, a kept set, candidates that repeat the taken token, a tree. */
const EVERYTHING: readonly TrainSequence[] = [
  {
    tokenIds: [1, 5, 3, 7, 2, 9],
    temperatures: [1, 1, 0.5, 1, 2, 1],
    keptTokenIds: [null, null, [3, 4, 8], null, null, null],
    candidateTokenIds: [null, [5, 1], null, [7, 2, 2], null, [4]],
  },
  { tokenIds: [1, 5, 3, 8, 6], parents: [-1, 0, 1, 1, 3] },
];

/** Outputs, gradients, and outputs again after the gradients are dropped. */
async function numbersOf(engine: TrainEngine): Promise<Float32Array[]> {
  const batch = { sequences: EVERYTHING, values: true };
  const waves = (scale: number): Float32Array[] =>
    EVERYTHING.map(({ tokenIds }) => Float32Array.from(tokenIds, (_, t) => Math.sin(scale + t)));
  const before = outputsOf(await engine.forward(batch));
  await engine.backward(batch, {
    logProb: waves(1),
    rawLogProb: waves(2),
    entropy: waves(3),
    values: waves(4),
    candidateLogProbs: EVERYTHING.map(({ tokenIds, candidateTokenIds }) =>
      tokenIds.map((_, t) => {
        const ids = candidateTokenIds?.[t] ?? null;
        return ids && Float32Array.from(ids, (id, i) => Math.cos(id + i));
      }),
    ),
  });
  const gradients = [...(await engine.gradients()).values()].map(({ data }) => data);
  // Rate 0, because Adam's first step is as long for rounding errors as for any other gradient.
  await engine.optimStep({ learningRate: 0 });
  return [...before, ...gradients, ...outputsOf(await engine.forward(batch))];
}

function outputsOf({ candidateLogProbs = [], values = [], ...rows }: TokenOutputs): Float32Array[] {
  const candidates = candidateLogProbs.flatMap((row) => row.flatMap((ids) => (ids ? [ids] : [])));
  return [
    ...[rows.logProb, rows.rawLogProb, rows.entropy, rows.sumSquaredProb].flat(),
    ...candidates,
    ...values,
  ];
}

function distance(actual: readonly Float32Array[], expected: readonly Float32Array[]): number {
  if (actual.length !== expected.length) return Infinity;
  const largest = Math.max(...expected.map((values) => Math.max(...values.map(Math.abs))));
  return Math.max(...expected.map((values, i) => largestError(actual[i] ?? [], values))) / largest;
}

async function report(): Promise<WebGpuReport> {
  const { config, weights, adapter, gradients, cases } = readGoldenDecoder("qwen3");
  const { sequences, outputs, derivatives } = cases.lora;
  const [, , asked] = process.argv;
  const valueHead = initializeValueHead(config, { seed: 1 });
  const options = { config, weights, trains: "lora", adapter, valueHead } as const;
  const engine = await createEngine({
    ...options,
    device: asked === "reference-webgpu" ? asked : "webgpu",
    checkpointing: asked?.includes("by layers") ? "layer" : "auto",
    precision: asked?.includes("in f16") ? "f16" : "f32",
  });
  const actual = await engine.forward({ sequences });
  const arrays = (name: "logProb" | "rawLogProb" | "entropy"): Float32Array[] =>
    (derivatives?.[name] ?? []).map((values) => Float32Array.from(values));
  await engine.backward(
    { sequences },
    {
      logProb: arrays("logProb"),
      rawLogProb: arrays("rawLogProb"),
      entropy: arrays("entropy"),
    },
  );
  const trained = await engine.gradients();
  const gradientErrors = Array.from(trained, ([name, { data }]) => {
    const expected = gradients("lora").get(name)?.data;
    // PyTorch's decoder has no value head.
    if (expected === undefined) return 0;
    return largestError(data, expected) / Math.max(...expected.map(Math.abs));
  });
  await engine.optimStep({ learningRate: 0 });
  const cpu = await createEngine({ ...options, device: "cpu", threads: 1 });
  const everythingError = distance(await numbersOf(engine), await numbersOf(cpu));
  return {
    everythingError,
    device: engine.capabilities().device,
    logProbError: Math.max(
      ...outputs.map(({ logProb }, i) => largestError(actual.logProb[i] ?? [], logProb)),
    ),
    gradientError: Math.max(...gradientErrors),
  };
}

/** Infinite if the lengths differ or a number is missing. */
function largestError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length || actual.length === 0) return Infinity;
  const errors = Array.from(actual, (value, i) => Math.abs(value - (expected[i] as number)));
  return errors.some(Number.isNaN) ? Infinity : Math.max(...errors);
}

const line = await report().catch((error: unknown): WebGpuReport => {
  if (WaggleError.is(error)) return { code: error.code };
  throw error;
});
process.stdout.write(`${JSON.stringify(line)}\n`, () => process.exit(0));
