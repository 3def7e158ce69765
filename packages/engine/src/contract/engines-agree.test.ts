/** All engines on this machine must compute the same gradients, although they do it differently. */
import type { TensorMap, TokenDerivatives, TrainEngine } from "@waggle/protocol";
import { expect, onTestFinished, test } from "vitest";
import { createOnnxEngine } from "../onnx/onnx-engine.ts";
import { createTfjsEngine } from "../tfjs/tfjs-engine.ts";
import {
  loudAdapter,
  loudValueHead,
  loudWeights,
  randomDerivatives,
  TINY,
  variedSequences,
} from "./train-engine.fixture.ts";

const SEQUENCES = variedSequences(TINY);

test.for(["full", "lora"] as const)(
  "ONNX in one graph, ONNX by layers and TensorFlow.js agree norm-wise to 1e-4, values included (%s)",
  async (trains) => {
    const options = {
      config: TINY,
      weights: loudWeights(TINY),
      valueHead: loudValueHead(TINY),
      trains,
      ...(trains === "lora" ? { adapter: loudAdapter(TINY) } : {}),
    };
    const onnx = { ...options, device: "cpu", threads: 1 } as const;
    const whole = await gradientsOf(await createOnnxEngine({ ...onnx, checkpointing: "none" }));
    const layers = await gradientsOf(await createOnnxEngine({ ...onnx, checkpointing: "layer" }));
    const tfjs = await gradientsOf(await createTfjsEngine({ ...options, device: "wasm" }));
    expect(largestGap(layers, whole)).toBeLessThan(1e-4);
    expect(largestGap(tfjs, whole)).toBeLessThan(1e-4);
    // control: a gap of that size is detected
    const [name, { shape, data }] = [...whole].at(-1)!;
    const off = new Map(whole).set(name, { shape, data: data.map((value) => value * 1.0002) });
    expect(largestGap(off, whole)).toBeGreaterThan(1e-4);
  },
);

async function gradientsOf(engine: TrainEngine): Promise<TensorMap> {
  onTestFinished(() => engine.dispose());
  const pairs = SEQUENCES.map(({ tokenIds }) => ({ tokenIds: [...tokenIds, ...tokenIds] }));
  const derivatives: TokenDerivatives = {
    logProb: randomDerivatives(SEQUENCES, 41),
    rawLogProb: randomDerivatives(SEQUENCES, 42),
    entropy: randomDerivatives(SEQUENCES, 43),
    values: randomDerivatives(pairs, 44),
  };
  await engine.backward({ sequences: SEQUENCES }, derivatives);
  return engine.gradients();
}

/** ‖a − b‖ / ‖b‖ of the tensor where it is largest. */
function largestGap(actual: TensorMap, expected: TensorMap): number {
  expect([...actual.keys()]).toEqual([...expected.keys()]);
  const gaps = [...expected].map(([name, { data }]) => {
    const other = actual.get(name)!.data;
    return Math.hypot(...data.map((value, i) => value - other[i]!)) / Math.hypot(...data);
  });
  return Math.max(...gaps);
}
