/** Muon in the ONNX engine: which parameters it moves and how far, resuming, and who refuses it. */
import { mulberry32 } from "@waggle/protocol";
import type { OptimizerOptions, Tensor, TensorMap, TrainEngine } from "@waggle/protocol";
import { expect, test } from "vitest";
import { TINY, loudAdapter, loudWeights } from "../contract/train-engine.fixture.ts";
import { createOnnxEngine } from "./onnx-engine.ts";

const OPTIONS: OptimizerOptions = { learningRate: 0.01, maxGradientNorm: 1, matrices: "muon" };

function open(): Promise<TrainEngine> {
  return createOnnxEngine({ config: TINY, weights: loudWeights(TINY), trains: "full", threads: 2 });
}

async function step(engine: TrainEngine, seed: number, options: OptimizerOptions): Promise<void> {
  const random = mulberry32(seed);
  const tokenIds = Array.from({ length: 12 }, () => Math.floor(random() * TINY.vocabularySize));
  await engine.backward(
    { sequences: [{ tokenIds }] },
    { logProb: [Float32Array.from(tokenIds, () => -1 / 12)] },
  );
  await engine.optimStep(options);
}

const sizeOf = (before: TensorMap, after: TensorMap, name: string): number =>
  Math.hypot(
    ...(before.get(name)?.data ?? []).map((value, i) => value - (after.get(name)?.data[i] ?? 0)),
  );

test("matrices of layers move by nearly orthogonal steps, all else as with AdamW", async () => {
  const [muon, adamw] = [await open(), await open()];
  const before = await muon.parameters();
  await step(muon, 1, OPTIONS);
  await step(adamw, 1, { ...OPTIONS, matrices: "adamw" });
  const [after, other] = [await muon.parameters(), await adamw.parameters()];
  const isMatrix = ([name, { shape }]: [string, Tensor]): boolean =>
    shape.length === 2 && name.includes(".layers.");
  const all = [...before];
  for (const [name] of all.filter((one) => !isMatrix(one))) {
    expect(after.get(name)).toEqual(other.get(name));
  }
  const matrices = all.filter(isMatrix);
  for (const [name, { shape }] of matrices) {
    expect(after.get(name)).not.toEqual(other.get(name));
    const [least, most] = [Math.min(...shape), Math.max(...shape)];
    // An orthogonal matrix has the norm √rank; singular values are between about 0.7 and 1.2.
    const orthogonal = 0.01 * 0.2 * Math.sqrt(most) * Math.sqrt(least);
    const moved = sizeOf(before, after, name) / orthogonal;
    expect(moved).toBeGreaterThan(0.3);
    expect(moved).toBeLessThan(1.25);
  }
  expect(matrices).toHaveLength(7 * TINY.layers);
  await Promise.all([muon.dispose(), adamw.dispose()]);
});

test("a resumed engine continues bit for bit", async () => {
  const [whole, resumed] = [await open(), await open()];
  await step(whole, 1, OPTIONS);
  await resumed.load(await whole.save());
  for (const seed of [2, 3]) {
    await step(whole, seed, OPTIONS);
    await step(resumed, seed, OPTIONS);
  }
  expect(await resumed.save()).toEqual(await whole.save());
  await Promise.all([whole.dispose(), resumed.dispose()]);
});

test("an engine that trains an adapter refuses it", async () => {
  const weights = loudWeights(TINY);
  const engine = await createOnnxEngine({
    config: TINY,
    weights,
    trains: "lora",
    adapter: loudAdapter(TINY),
    threads: 2,
  });
  expect(engine.capabilities().muon).toBeUndefined();
  const refused = engine.optimStep(OPTIONS);
  await expect(refused).rejects.toMatchObject({ code: "CAPABILITY_MISSING" });
  await engine.dispose();
});
