/**
 * Fast weights: the outer gradient is computed at the parameters after the inner steps and applied
 * to those before.
 */
import { createOnnxEngine } from "@waggle/engine";
import type { LossPart, LossResult, Minibatch, Stage } from "@waggle/learning";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type DecoderConfig, initializeDecoder } from "@waggle/model";
import { fastWeights } from "../update/fast-weights.ts";
import { soleEngine } from "../update/role-engine.ts";
import { FIRST_STEP } from "../rollouts/part-context.fixture.ts";

const CONFIG: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 32,
  width: 32,
  layers: 1,
  heads: 1,
  keyValueHeads: 1,
  headSize: 32,
  feedForwardSize: 32,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 64,
  ropeScaling: null,
};
const BATCH = {
  sequences: [{ tokenIds: [1, 2, 3, 4, 5] }, { tokenIds: [1, 2, 3, 9] }, { tokenIds: [7, 8] }],
};

/** Raises the log-prob of every token. */
const pulls = (): LossResult => ({
  loss: 0,
  metrics: {},
  derivatives: {
    logProb: BATCH.sequences.map(({ tokenIds }) => new Float64Array(tokenIds.length).fill(-1)),
  },
});

function stageWith(inner: LossPart["inner"]): Stage {
  return { losses: [{ loss: { inner }, weight: 1 }] } as unknown as Stage;
}

let engine: TrainEngine;
beforeEach(async () => {
  engine = await createOnnxEngine({
    config: CONFIG,
    weights: initializeDecoder(CONFIG, 1),
    trains: "full",
    threads: 1,
  });
});
afterEach(() => engine.dispose());

async function outerStep(): Promise<number> {
  await engine.backward(BATCH, {
    logProb: BATCH.sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length).fill(-1)),
  });
  const { step } = await engine.optimStep({ learningRate: 1e-3 });
  return step;
}

function largestGap(a: TensorMap, b: TensorMap, only = /./): number {
  return Math.max(
    ...[...a].flatMap(([name, { data }]) =>
      only.test(name)
        ? [...data].map((value, i) => Math.abs(value - (b.get(name)?.data[i] ?? 0)))
        : [0],
    ),
  );
}

test("a stage without inner steps has none", async () => {
  const none = await fastWeights(
    stageWith(undefined),
    soleEngine(engine),
    BATCH,
    () => ({}) as Minibatch,
    FIRST_STEP,
  );
  expect(none).toBeNull();
});

test("the outer update is applied to the slow weights, and moments and steps belong to the outer loop", async () => {
  const slow = await engine.parameters();
  const inner = {
    steps: 2,
    learningRate: 1e-2,
    compute: pulls,
    trains: (names: readonly string[]) => new Set(names.filter((name) => /self_attn/.test(name))),
  };
  const fast = await fastWeights(
    stageWith(inner),
    soleEngine(engine),
    BATCH,
    () => ({}) as Minibatch,
    FIRST_STEP,
  );
  const there = await engine.parameters();
  // Only the selected parameters have changed.
  expect(largestGap(there, slow, /self_attn/)).toBeGreaterThan(1e-3);
  expect(largestGap(there, slow, /^(?!.*self_attn)/)).toBe(0);
  expect(await outerStep()).toBe(1);
  const stepped = await engine.parameters();
  await fast?.settle();
  const settled = await engine.parameters();
  for (const [name, { data }] of settled) {
    const [a, b, c] = [slow, stepped, there].map((map) => map.get(name)?.data ?? []);
    const wanted = data.map((_, i) => (a?.[i] ?? 0) + ((b?.[i] ?? 0) - (c?.[i] ?? 0)));
    expect(Math.max(...data.map((value, i) => Math.abs(value - (wanted[i] ?? 0))))).toBeLessThan(
      1e-6,
    );
  }
});
