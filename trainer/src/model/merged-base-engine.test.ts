/** Over a base with a merged adapter, the trained policy is the stack of both adapters. */
import { createOnnxEngine } from "@waggle/engine";
import { type Adapter, initializeAdapter, mergeAdapter } from "@waggle/model";
import type { TrainBatch, TrainEngine } from "@waggle/protocol";
import { TOLERANCE, toBeAllClose } from "@waggle/testing";
import { expect, onTestFinished, test } from "vitest";
import { mergedBaseEngine, stackedShape } from "./merged-base-engine.ts";
import { TINY, TINY_ADAPTER, tinyEngine, tinyWeights } from "../edge-training/training.fixture.ts";

expect.extend({ toBeAllClose });

const batch: TrainBatch = {
  sequences: [{ tokenIds: [3, 7, 1, 9, 4, 2, 11] }],
};
const ones = { logProb: [new Float32Array(7).fill(1)] };

async function step(engine: TrainEngine, learningRate: number): Promise<void> {
  await engine.backward(batch, ones);
  await engine.optimStep({ learningRate });
}

async function logProbs(engine: TrainEngine): Promise<Float32Array> {
  return (await engine.forward(batch)).logProb[0] as Float32Array;
}

function engineOver(weights: ReturnType<typeof tinyWeights>, adapter: Adapter) {
  return createOnnxEngine({ config: TINY, weights, trains: "lora", adapter, threads: 1 });
}

test("an adapter trained over the merged base is exported as one adapter over the original base", async () => {
  const first = await tinyEngine();
  onTestFinished(() => first.dispose());
  await step(first, 0.05);
  const merged: Adapter = { ...TINY_ADAPTER, tensors: await first.parameters() };

  const shape = { rank: 3, alpha: 32 };
  const inner = await engineOver(
    mergeAdapter(TINY, tinyWeights(), merged),
    initializeAdapter(TINY, { ...shape, seed: 2 }),
  );
  const engine = mergedBaseEngine(inner, merged, shape);
  onTestFinished(() => engine.dispose());
  // A fresh adapter over the merged base gives the policy that was moved.
  const moved = await logProbs(engine);
  expect(moved).toBeAllClose(await logProbs(first), TOLERANCE.f32Reduction);
  await step(engine, 0.02);

  const stacked: Adapter = {
    ...stackedShape(merged, shape),
    tensors: await engine.parameters(),
  };
  const back = await engineOver(tinyWeights(), stacked);
  onTestFinished(() => back.dispose());
  const learned = await logProbs(engine);
  expect(await logProbs(back)).toBeAllClose(learned, TOLERANCE.f32Reduction);
  // Control: without the merged adapter, or without the step, the policy differs.
  const alone = await engineOver(tinyWeights(), { ...shape, tensors: await inner.parameters() });
  onTestFinished(() => alone.dispose());
  const distance = (a: Float32Array, b: Float32Array): number =>
    Math.max(...a.map((value, i) => Math.abs(value - (b[i] as number))));
  expect(distance(await logProbs(alone), learned)).toBeGreaterThan(0.05);
  expect(distance(moved, learned)).toBeGreaterThan(0.05);
});
