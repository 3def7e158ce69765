/**
 * One kind of training step on a GPU. Gradients of a tiny decoder are compared with the CPU's first;
 * then time and bytes fed to the device are measured on the real shape, with CPU and PyTorch as peers.
 */
import { initializeAdapter, initializeDecoder, tensorMapSource } from "@waggle/model";
import type { Adapter, DecoderConfig, TensorSource } from "@waggle/model";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { createOnnxEngine } from "../../src/onnx/onnx-engine.ts";
import type { OnnxProvider } from "../../src/onnx/onnx-device.ts";
import { randomDecoder } from "../random-decoder.ts";
import { batchOf, LEARNING_RATE } from "../step-shapes.ts";
import type { StepShape } from "../step-shapes.ts";
import { startTorch } from "../torch-step.ts";
import type { TorchPeer } from "../torch-step.ts";
import { cardBytesTaken } from "./card.ts";
import type { CrossingBytes } from "./crossing-bytes.ts";
import { RANK, TINY } from "./gpu-steps.ts";
import type { GpuCase, GpuSize } from "./gpu-steps.ts";

/** Largest relative norm of the difference, over all gradients together. */
const TOLERANCE = { f32: 1e-4, int8: 1e-4, int4: 1e-4, f16: 2e-2 } as const;
/** Target duration of the timed steps. */
const MEASURED_MS = { tiny: 300, real: 4000 } as const;
const MOST_STEPS = 10;

export type MeasuredCase = {
  /** Median over the steps. */
  readonly seconds: number;
  /** Bytes fed from host memory in the first step. `crossing` is the same for a later step. */
  readonly firstCrossing: number;
  readonly crossing: number;
  /** GPU memory in use during the steps; null where the driver does not report it. */
  readonly cardBytes: number | null;
  /** Tensors on the device between steps. */
  readonly heldTensors: number;
  /** Tensors that later steps left on the device, plus those still there after `dispose`. */
  readonly left: number;
};

/** Whether the gradients of a tiny decoder match the CPU's, and the size of the difference as text. */
export async function compareGradients(
  provider: OnnxProvider,
  kind: GpuCase,
  torch: string | undefined,
): Promise<{ readonly agree: boolean; readonly words: string }> {
  const weights = tensorMapSource(initializeDecoder(TINY.config, 1));
  const expected = await gradientsOf(await open("cpu", TINY, kind, weights));
  const limit = TOLERANCE[kind.base];
  const own = gradientError(await gradientsOf(await open(provider, TINY, kind, weights)), expected);
  if (torch === undefined) return { agree: own <= limit, words: own.toExponential(1) };
  const peer = await openTorch(torch, TINY, kind, weights);
  const flat = await peer.gradients();
  await peer.close();
  peer.cleanUp();
  let start = 0;
  const split = new Map(
    Array.from(expected, ([name, { shape, data }]) => {
      const part = flat.subarray(start, (start += data.length));
      return [name, { shape, data: part }];
    }),
  );
  // PyTorch gets the weights of a quantized base before rounding
  const theirs = gradientError(split, expected);
  const agree = own <= limit && (theirs <= limit || kind.base !== "f32");
  return { agree, words: `${own.toExponential(1)}, PyTorch's ${theirs.toExponential(1)}` };
}

/** @throws WaggleError `OUT_OF_MEMORY` where the host's memory is too small for it. */
export async function measureCase(
  provider: OnnxProvider,
  shape: StepShape,
  kind: GpuCase,
  { crossing, size }: { readonly crossing: CrossingBytes; readonly size: GpuSize },
): Promise<MeasuredCase> {
  crossing.taken();
  const engine = await open(provider, shape, kind, randomDecoder(shape.config));
  await step(engine, shape);
  const firstCrossing = crossing.taken();
  await step(engine, shape);
  const later = crossing.taken();
  const heldTensors = crossing.left();
  const times: number[] = [];
  const until = performance.now() + MEASURED_MS[size];
  do {
    const start = performance.now();
    await step(engine, shape);
    times.push(performance.now() - start);
  } while (performance.now() < until && times.length < MOST_STEPS);
  const left = crossing.left() - heldTensors;
  const cardBytes = cardBytesTaken();
  await engine.dispose();
  const seconds = median(times) / 1000;
  const traffic = { firstCrossing, crossing: later, heldTensors, left: left + crossing.left() };
  return { seconds, cardBytes, ...traffic };
}

/** Seconds of one step on the CPU, after a warm-up step where steps are short. */
export async function processorSeconds(shape: StepShape, kind: GpuCase): Promise<number> {
  const engine = await open("cpu", shape, kind, randomDecoder(shape.config));
  const timed = async (): Promise<number> => {
    const start = performance.now();
    await step(engine, shape);
    return (performance.now() - start) / 1000;
  };
  const first = await timed();
  const seconds = first > 5 ? first : await timed();
  await engine.dispose();
  return seconds;
}

/** Median seconds of PyTorch's steps on CUDA, float32 throughout. */
export async function torchSeconds(
  interpreter: string,
  shape: StepShape,
  kind: GpuCase,
): Promise<{ readonly label: string; readonly seconds: number }> {
  const peer = await openTorch(interpreter, shape, kind, randomDecoder(shape.config));
  await peer.steps(2);
  const times = await peer.steps(MOST_STEPS);
  await peer.close();
  peer.cleanUp();
  return { label: peer.label, seconds: median(times) / 1000 };
}

function open(
  device: OnnxProvider,
  { config, sequences, length }: StepShape,
  { trains, checkpointing, base }: GpuCase,
  weights: TensorSource,
): Promise<TrainEngine> {
  return createOnnxEngine({
    config,
    weights,
    trains,
    base,
    checkpointing,
    device,
    precision: base === "f16" ? "f16" : "f32",
    ...(trains === "lora" ? { adapter: loudAdapter(config) } : {}),
    // one microbatch on a GPU, where each run is a round trip; the engine's default on the CPU
    ...(device === "cpu" ? {} : { maxMicrobatchTokens: sequences * (length + 1) }),
  });
}

function openTorch(
  interpreter: string,
  shape: StepShape,
  { trains }: GpuCase,
  weights: TensorSource,
): Promise<TorchPeer> {
  const { tensors, alpha, rank } = loudAdapter(shape.config);
  const adapter = trains === "lora" ? { adapter: { tensors, scale: alpha / rank } } : {};
  return startTorch(interpreter, { shape, weights, device: "cuda", ...adapter });
}

/** An adapter whose B is not zero, so that A has gradients. */
function loudAdapter(config: DecoderConfig): Adapter {
  const adapter = initializeAdapter(config, { rank: RANK, alpha: 2 * RANK, seed: 2 });
  for (const [name, { data }] of adapter.tensors) {
    if (name.includes("lora_B")) data.forEach((_, i) => (data[i] = Math.sin(i) / 50));
  }
  return adapter;
}

async function step(engine: TrainEngine, shape: StepShape): Promise<void> {
  await engine.backward(...lossOf(shape));
  await engine.optimStep({ learningRate: LEARNING_RATE });
}

/** Derivatives of the mean negative log-probability of the next token. */
function lossOf(shape: StepShape): Parameters<TrainEngine["backward"]> {
  const sequences = batchOf(shape);
  const derivative = -1 / (shape.sequences * shape.length);
  const logProb = sequences.map(({ tokenIds }) =>
    new Float32Array(tokenIds.length).fill(derivative),
  );
  return [{ sequences }, { logProb }];
}

async function gradientsOf(engine: TrainEngine): Promise<TensorMap> {
  await engine.backward(...lossOf(TINY));
  const gradients = await engine.gradients();
  await engine.dispose();
  return gradients;
}

/** Relative norm of the difference over all tensors; NaN if one is missing. */
export function gradientError(actual: TensorMap, expected: TensorMap): number {
  let [difference, square] = [0, 0];
  for (const [name, { data }] of expected) {
    const other = actual.get(name)?.data;
    data.forEach((value, i) => {
      difference += (value - (other?.[i] ?? Number.NaN)) ** 2;
      square += value ** 2;
    });
  }
  return Math.sqrt(difference / square);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
