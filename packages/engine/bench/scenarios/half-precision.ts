/**
 * Training steps in f16 against f32 on this machine's device: first the largest gradient difference by
 * kind of parameter, then tokens/s in turns. On a CPU, f16 only rounds; it does not save time.
 */
import { initializeAdapter, initializeDecoder } from "@waggle/model";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { benchRow } from "../../../runtime/bench/row.ts";
import { createOnnxEngine } from "../../src/onnx/onnx-engine.ts";
import type { EngineScenario } from "../scenario.ts";
import { batchOf, LEARNING_RATE, SHAPES } from "../step-shapes.ts";
import type { ShapeName } from "../step-shapes.ts";

/** Relative norm of the difference, for the kind of parameter where it is largest. */
const GRADIENT_TOLERANCE = 5e-3;

export const halfPrecision: EngineScenario = {
  name: "half-precision",
  description: "tokens/s and gradients of steps in f16 beside f32, whole and layer by layer",
  run: async function* ({ quick, threads, report }) {
    for (const name of quick ? (["S"] as const) : (["S", "M"] as const)) {
      for (const checkpointing of ["none", "layer"] as const) {
        const pair = await openPair(name, checkpointing, threads);
        // After one step, because only one of a fresh adapter's two matrices has gradients.
        await step(name, pair[0], LEARNING_RATE);
        await pair[1].load(await pair[0].save());
        const errors = errorsByKind(
          await gradientsOf(name, pair[1]),
          await gradientsOf(name, pair[0]),
        );
        const title = `${name}, checkpointing ${checkpointing}`;
        const words = Array.from(errors, ([kind, error]) => `${kind} ${error.toExponential(1)}`);
        report(`   ${title}: ${words.join(", ")}`);
        const [ofSingle = Number.NaN, ofHalf = Number.NaN] = await timed(name, pair, quick ? 2 : 6);
        const { device } = pair[1].capabilities();
        yield benchRow({
          name: `f16 ${title} on ${device}`,
          unit: "tokens/s",
          peerName: "f32",
          ours: ofHalf,
          peer: ofSingle,
          agree: Math.max(...errors.values()) <= GRADIENT_TOLERANCE,
        });
        for (const engine of pair) await engine.dispose();
      }
    }
  },
};

/** The same engine in f32 and in f16. Layer by layer, the frozen base has that format too. */
async function openPair(
  name: ShapeName,
  checkpointing: "none" | "layer",
  threads: number,
): Promise<readonly [TrainEngine, TrainEngine]> {
  const { config } = SHAPES[name];
  const isFrozen = checkpointing === "layer";
  const open = (precision: "f32" | "f16"): Promise<TrainEngine> =>
    createOnnxEngine({
      config,
      weights: initializeDecoder(config, 1),
      threads,
      checkpointing,
      precision,
      ...(isFrozen
        ? { trains: "lora", adapter: initializeAdapter(config, { rank: 16, alpha: 32, seed: 2 }) }
        : { trains: "full" }),
      base: isFrozen ? precision : "f32",
    });
  return [await open("f32"), await open("f16")];
}

function derivativesOf(name: ShapeName) {
  const sequences = batchOf(SHAPES[name]);
  const tokens = SHAPES[name].sequences * SHAPES[name].length;
  const logProb = sequences.map(({ tokenIds }) =>
    new Float32Array(tokenIds.length).fill(-1 / tokens),
  );
  return { batch: { sequences }, derivatives: { logProb }, tokens };
}

async function step(name: ShapeName, engine: TrainEngine, learningRate: number): Promise<void> {
  const { batch, derivatives } = derivativesOf(name);
  await engine.backward(batch, derivatives);
  await engine.optimStep({ learningRate });
}

async function gradientsOf(name: ShapeName, engine: TrainEngine): Promise<TensorMap> {
  const { batch, derivatives } = derivativesOf(name);
  await engine.backward(batch, derivatives);
  const gradients = await engine.gradients();
  await engine.optimStep({ learningRate: 0 });
  return gradients;
}

/** Errors over all layers' tensors of one name. */
function errorsByKind(actual: TensorMap, expected: TensorMap): ReadonlyMap<string, number> {
  const sums = new Map<string, { difference: number; square: number }>();
  for (const [name, { data }] of expected) {
    const kind = name.replace(/^.*layers\.\d+\./, "").replace(/\.weight$/, "");
    const sum = sums.get(kind) ?? { difference: 0, square: 0 };
    const other = actual.get(name)?.data;
    data.forEach((value, i) => {
      sum.difference += (value - (other?.[i] ?? Number.NaN)) ** 2;
      sum.square += value ** 2;
    });
    sums.set(kind, sum);
  }
  return new Map(
    Array.from(sums, ([kind, { difference, square }]) => [kind, Math.sqrt(difference / square)]),
  );
}

/** Tokens/s of each engine, measured in turns; median step. */
async function timed(
  name: ShapeName,
  engines: readonly TrainEngine[],
  rounds: number,
): Promise<number[]> {
  const { tokens } = derivativesOf(name);
  const milliseconds = engines.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, engine] of engines.entries()) {
      const start = performance.now();
      await step(name, engine, LEARNING_RATE);
      milliseconds[index]?.push(performance.now() - start);
    }
  }
  return milliseconds.map((times) => {
    const sorted = times.toSorted((a, b) => a - b);
    return (1000 * tokens) / (sorted[Math.floor(sorted.length / 2)] ?? Number.NaN);
  });
}
