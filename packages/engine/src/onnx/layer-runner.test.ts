import { residentNumbers } from "@waggle/model";
import type { TensorMap, TrainBatch, TrainEngine, TokenDerivatives } from "@waggle/protocol";
import { afterEach, expect, test } from "vitest";
import { createOnnxEngine } from "./onnx-engine.ts";
import type { OnnxEngineOptions } from "./onnx-engine.ts";
import {
  loudAdapter,
  loudWeights,
  OUTPUTS,
  randomDerivatives,
  TINY,
  TINY_LLAMA,
  variedSequences,
} from "../contract/train-engine.fixture.ts";

const open: TrainEngine[] = [];
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.dispose();
});

async function engineOf(options: Partial<OnnxEngineOptions>): Promise<TrainEngine> {
  const config = options.config ?? TINY;
  const trains = options.trains ?? "lora";
  const engine = await createOnnxEngine({
    config,
    weights: loudWeights(config),
    trains,
    ...(trains === "lora" ? { adapter: loudAdapter(config) } : {}),
    device: "cpu",
    threads: 1,
    ...options,
  });
  open.push(engine);
  return engine;
}

/** All outputs and derivatives at once, with candidates that repeat taken and kept ids. */
function everything(config: typeof TINY): { batch: TrainBatch; derivatives: TokenDerivatives } {
  const sequences = variedSequences(config).map((sequence) => ({
    ...sequence,
    candidateTokenIds: sequence.tokenIds.map((id, token) =>
      token % 3 === 0 ? null : [id, (id + token) % config.vocabularySize, 3],
    ),
  }));
  const candidateLogProbs = sequences.map(({ candidateTokenIds }) =>
    candidateTokenIds.map((ids) => ids && Float32Array.from(ids, (id, i) => Math.sin(id + i))),
  );
  const derivatives = {
    logProb: randomDerivatives(sequences, 21),
    rawLogProb: randomDerivatives(sequences, 22),
    entropy: randomDerivatives(sequences, 23),
    candidateLogProbs,
  };
  return { batch: { sequences }, derivatives };
}

/** Largest difference relative to the tensor's largest entry, over all tensors. */
function largestError(actual: TensorMap, expected: TensorMap): number {
  const errors = Array.from(expected, ([name, { data }]) => {
    const other = actual.get(name)?.data ?? new Float32Array(data.length).fill(Number.NaN);
    const scale = Math.max(...data.map(Math.abs));
    return Math.max(...data.map((value, i) => Math.abs(value - (other[i] as number)))) / scale;
  });
  return Math.max(...errors);
}

for (const config of [TINY, TINY_LLAMA]) {
  test.each([
    ["lora", 24],
    ["lora", 1e6],
    ["full", 24],
  ] as const)(
    `layer by layer gives all outputs and gradients of one graph to 1e-5 (${config.modelType}, %s, tiles of %d)`,
    async (trains, tileLogits) => {
      const { batch, derivatives } = everything(config);
      const whole = await engineOf({ config, trains, checkpointing: "none" });
      const layers = await engineOf({ config, trains, checkpointing: "layer", tileLogits });
      const expected = await whole.forward(batch);
      const actual = await layers.forward(batch);
      for (const name of OUTPUTS) {
        const gaps = expected[name].flatMap((values, sequence) =>
          Array.from(values, (value, token) =>
            Math.abs(value - (actual[name][sequence]?.[token] as number)),
          ),
        );
        expect(Math.max(...gaps)).toBeLessThan(2e-5);
      }
      const flat = (outputs: typeof actual): number[] =>
        (outputs.candidateLogProbs ?? []).flat().flatMap((row) => [...(row ?? [999])]);
      expect(flat(actual).length).toBe(flat(expected).length);
      const gaps = flat(actual).map((value, i) => Math.abs(value - (flat(expected)[i] as number)));
      expect(gaps.length).toBeGreaterThan(30);
      expect(Math.max(...gaps)).toBeLessThan(2e-5);
      await whole.backward(batch, derivatives);
      await layers.backward(batch, derivatives);
      expect(largestError(await layers.gradients(), await whole.gradients())).toBeLessThan(1e-5);
    },
  );
}

test.each(["f16", "int8", "int4"] as const)(
  "an %s base gives the outputs and gradients of its dequantized numbers",
  async (base) => {
    const { batch, derivatives } = everything(TINY);
    const weights = loudWeights(TINY);
    const stands = residentNumbers(TINY, weights, base);
    const plain = await engineOf({ weights: stands, checkpointing: "none" });
    const quantized = await engineOf({ weights, base, tileLogits: 40 });
    const expected = await plain.forward(batch);
    const actual = await quantized.forward(batch);
    const errors = expected.entropy.map((values, sequence) =>
      Math.max(
        ...values.map((value, token) =>
          Math.abs(value - (actual.entropy[sequence]?.[token] as number)),
        ),
      ),
    );
    expect(Math.max(...errors)).toBeLessThan(2e-5);
    await plain.backward(batch, derivatives);
    await quantized.backward(batch, derivatives);
    const gradients = await plain.gradients();
    expect(largestError(await quantized.gradients(), gradients)).toBeLessThan(2e-5);
    // control: the rounding itself is far larger than that
    const rounding = base === "f16" ? 1e-4 : 1e-3;
    const original = await engineOf({ weights, checkpointing: "none" });
    await original.backward(batch, derivatives);
    expect(largestError(await original.gradients(), gradients)).toBeGreaterThan(rounding);
  },
);

test("with candidates alone, gradients are those of their log-probs and add up over microbatches", async () => {
  const { batch, derivatives } = everything(TINY);
  const { candidateLogProbs } = derivatives;
  const together = await engineOf({ checkpointing: "layer" });
  await together.backward(batch, { candidateLogProbs });
  const apart = await engineOf({ checkpointing: "none", maxMicrobatchTokens: 1 });
  await apart.backward(batch, { candidateLogProbs });
  expect(largestError(await together.gradients(), await apart.gradients())).toBeLessThan(1e-5);
});

test("a quantized base does not change while its adapter learns", async () => {
  const sequences = [{ tokenIds: [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5] }];
  const engine = await engineOf({ base: "int8" });
  const loss = async (): Promise<number> =>
    -(await engine.forward({ sequences })).logProb[0]!.reduce((sum, value) => sum + value, 0);
  const first = await loss();
  const logProb = [new Float32Array(11).fill(-1)];
  for (let step = 0; step < 60; step++) {
    await engine.backward({ sequences }, { logProb });
    await engine.optimStep({ learningRate: 0.02 });
  }
  expect(await loss()).toBeLessThan(first / 2);
  const checkpoint = await engine.save();
  expect([...checkpoint.tensors.keys()].every((name) => name.includes("lora_"))).toBe(true);
});

test("a quantized base is refused in full training and in one graph", async () => {
  for (const options of [{ trains: "full" }, { checkpointing: "none" }] as const) {
    await expect(engineOf({ base: "int8", ...options })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  }
});
