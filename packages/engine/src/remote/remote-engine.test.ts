import { initializeAdapter } from "@waggle/model";
import type { TensorMap, TrainEngine, TrainSequence } from "@waggle/protocol";
import { expect, test } from "vitest";
import { createOnnxEngine } from "../onnx-engine.ts";
import { loudWeights, randomDerivatives, TINY } from "../train-engine.fixture.ts";
import { ALPHA, connect, serverOf } from "./remote-engine.fixture.ts";
import type { ServedModel } from "./remote-engine.fixture.ts";

const MODEL: ServedModel = { config: TINY, weights: loudWeights(TINY), trains: "lora" };
const FLAVORS = ["skyrl", "open-rl"] as const;
const SEQUENCES: TrainSequence[] = [
  { tokenIds: [3, 9, 28, 4, 4, 17, 0, 6] },
  { tokenIds: [5] },
  { tokenIds: [11, 2, 25, 7] },
  { tokenIds: [8, 8, 21, 13, 1, 19] },
];
const STEP = { learningRate: 0.01, maxGradientNorm: 1 };

function localEngine(): Promise<TrainEngine> {
  const adapter = initializeAdapter(TINY, { rank: 3, alpha: ALPHA, seed: 1 });
  return createOnnxEngine({ ...MODEL, adapter, threads: 1 });
}

async function train(engine: TrainEngine, seeds: readonly number[]): Promise<number[]> {
  const norms: number[] = [];
  for (const seed of seeds) {
    await engine.backward(
      { sequences: SEQUENCES },
      { logProb: randomDerivatives(SEQUENCES, seed) },
    );
    norms.push((await engine.optimStep(STEP)).gradientNorm);
  }
  return norms;
}

/** ‖a − b‖ / ‖b‖ of each tensor; what is zero on both sides is equal. */
function distances(actual: TensorMap, expected: TensorMap): number[] {
  expect([...actual.keys()]).toEqual([...expected.keys()]);
  return [...expected].map(([name, { data }]) => {
    const other = actual.get(name)?.data ?? new Float32Array();
    const norm = Math.hypot(...data);
    const gap = Math.hypot(...data.map((value, i) => value - (other[i] as number)));
    return gap === 0 ? 0 : gap / norm;
  });
}

test.each(FLAVORS)(
  "%s: outputs, norms and parameters are those of the local engine",
  async (flavor) => {
    const remote = await connect(await serverOf(MODEL, { flavor }), MODEL, MODEL);
    const local = await localEngine();
    expect(await train(remote, [1, 2, 3])).toEqual(await train(local, [1, 2, 3]));
    const [actual, expected] = [await remote.parameters(), await local.parameters()];
    expect(Math.max(...distances(actual, expected))).toBeLessThan(1e-4);
    const outputs = await remote.forward({ sequences: SEQUENCES });
    const { logProb } = await local.forward({ sequences: SEQUENCES });
    expect(outputs.logProb).toEqual(logProb);
    expect(outputs.rawLogProb).toEqual(logProb);
    expect(outputs.entropy[0]?.every(Number.isNaN)).toBe(true);
    await local.dispose();
  },
);
