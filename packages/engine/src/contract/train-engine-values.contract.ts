/**
 * The TrainEngine contract: value heads. Values and gradients match the plain twin's, heads learn
 * returns, and an engine created without heads refuses.
 */
import { mergeAdapter } from "@waggle/model";
import type { DecoderConfig, ValueHead } from "@waggle/model";
import type { TensorMap, TrainEngine, TrainSequence } from "@waggle/protocol";
import { toBeAllClose } from "@waggle/testing";
import { plainOutputs } from "@waggle/testing/plain-decoder";
import { expect } from "vitest";
import {
  TINY,
  TINY_LLAMA,
  centralDifference,
  codeOf,
  gradientErrors,
  largestEntry,
  loudAdapter,
  loudValueHead,
  loudWeights,
  randomDerivatives,
  variedSequences,
  contractCases,
} from "./train-engine.fixture.ts";
import type { AddCase, ContractCase } from "./train-engine.fixture.ts";

expect.extend({ toBeAllClose });

const HEADS = 2;

/** @returns the tests, in order. */
export function trainEngineValues(): ContractCase[] {
  return [...contractCases(numberCases), ...contractCases(trainingCases)];
}

/**
 * A sequence of one token, which has a value but predicts nothing; two sequences with a common prefix;
 * and a tree, if the engine takes trees.
 */
function sequencesOf(config: DecoderConfig, engine?: TrainEngine): TrainSequence[] {
  const sequences = variedSequences(config);
  const [first] = sequences as [TrainSequence, ...TrainSequence[]];
  const tree = { tokenIds: [7, 3, 9, 20, 3, 1], parents: [-1, 0, 1, 1, 0, 4] };
  const takesTrees = engine?.capabilities().sequences.includes("parents") ?? false;
  return [
    ...sequences,
    { tokenIds: [4] },
    { tokenIds: [] },
    { tokenIds: [...first.tokenIds.slice(0, 7), 2, 2] },
    ...(takesTrees ? [tree] : []),
  ];
}

function options(config: DecoderConfig, trains: "full" | "lora") {
  const adapter = loudAdapter(config);
  return {
    config,
    trains,
    weights: loudWeights(config),
    valueHead: loudValueHead(config),
    ...(trains === "lora" ? { adapter } : {}),
  };
}

/** `[T·H]` for each sequence; a third of the tokens have no derivative. */
function valueDerivatives(sequences: readonly TrainSequence[], seed: number): Float32Array[] {
  const pairs = sequences.map(({ tokenIds }) => ({ tokenIds: [...tokenIds, ...tokenIds] }));
  return randomDerivatives(pairs, seed).map((values) =>
    values.map((value, i) => (Math.floor(i / HEADS) % 3 === 1 ? 0 : value)),
  );
}

function isOfHead(name: string): boolean {
  return name.startsWith("score.");
}

function numberCases(add: AddCase): void {
  for (const config of [TINY, TINY_LLAMA]) {
    for (const trains of ["full", "lora"] as const) {
      add(
        `values and their gradients are the plain twin's, every tensor (${config.modelType}, ${trains})`,
        async (engineOf, budget) => {
          const given = options(config, trains);
          const { weights, adapter, valueHead } = given;
          const engine = await engineOf(given);
          expect(engine.capabilities().valueHeads).toBe(HEADS);
          const sequences = sequencesOf(config, engine);
          const expected = (): number[][] => {
            const effective = adapter ? mergeAdapter(config, weights, adapter) : weights;
            return plainValues(config, effective, sequences, valueHead);
          };
          const { values = [] } = await engine.forward({ sequences, values: true });
          expect(values.map(({ length }) => length)).toEqual(
            sequences.map(({ tokenIds }) => HEADS * tokenIds.length),
          );
          expect(values.flatMap((row) => [...row])).toBeAllClose(expected().flat(), budget.outputs);

          const derivatives = valueDerivatives(sequences, 31);
          await engine.backward({ sequences }, { values: derivatives });
          const gradients = await engine.gradients();
          const factors = derivatives.flatMap((row) => [...row]);
          const errors = new Map<string, number>();
          const head = config.tiedEmbeddings ? "none" : "lm_head.weight";
          expect(
            largestEntry(new Map([...gradients].filter(([name]) => name === head))),
          ).toBeLessThan(1e-30);
          const trained = new Map([...(adapter?.tensors ?? weights), ...valueHead.tensors]);
          expect([...gradients.keys()]).toEqual([...trained.keys()]);
          for (const [name, { data }] of trained) {
            if (name === head) continue;
            const gradient = gradients.get(name)?.data ?? new Float32Array();
            const largest = Math.max(...gradient.map(Math.abs));
            const index = gradient.findIndex((value) => Math.abs(value) === largest);
            const difference = centralDifference(data, index, () =>
              expected()
                .flat()
                .reduce((sum, value, i) => sum + value * (factors[i] as number), 0),
            );
            errors.set(name, Math.abs((gradient[index] as number) / difference - 1));
          }
          expect([...errors].filter(([, error]) => !(error < budget.difference))).toEqual([]);
        },
      );
    }
  }

  add(
    "values beside log-probs add their gradients, whatever the microbatches",
    async (engineOf, budget) => {
      const given = options(TINY, "full");
      const together = await engineOf({ ...given, maxMicrobatchTokens: 12 });
      const sequences = sequencesOf(TINY, together);
      const values = valueDerivatives(sequences, 32);
      const logProb = randomDerivatives(sequences, 33).map((row) =>
        row.map((value, token) => (token % 2 ? value : 0)),
      );
      const outputs = await together.forward({ sequences, values: true });
      await together.backward({ sequences }, { logProb, values });
      const apart = await engineOf(given);
      const { logProb: expected } = await apart.forward({ sequences });
      outputs.logProb.forEach((row, i) =>
        expect(row).toBeAllClose(expected[i] ?? [], budget.arranged),
      );
      await apart.backward({ sequences }, { values });
      await apart.backward({ sequences }, { logProb });
      expect(
        gradientErrors(await together.gradients(), await apart.gradients(), budget.gradients),
      ).toEqual([]);
    },
  );

  add("values can leave the decoder untrained", async (engineOf, budget) => {
    const sequences = sequencesOf(TINY);
    const values = valueDerivatives(sequences, 34);
    const gradientsOf = async (valuesTrainDecoder: boolean, logProb?: Float32Array[]) => {
      const engine = await engineOf(options(TINY, "lora"));
      await engine.backward(
        { sequences, valuesTrainDecoder },
        { values, ...(logProb ? { logProb } : {}) },
      );
      const all = [...(await engine.gradients())];
      return {
        ofHead: new Map(all.filter(([name]) => isOfHead(name))),
        ofDecoder: new Map(all.filter(([name]) => !isOfHead(name))),
      };
    };
    const [through, apart] = [await gradientsOf(true), await gradientsOf(false)];
    expect(gradientErrors(apart.ofHead, through.ofHead, budget.gradients)).toEqual([]);
    expect(largestEntry(apart.ofDecoder)).toBe(0);
    expect(largestEntry(through.ofDecoder)).toBeGreaterThan(0.01);
    const beside = await gradientsOf(false, randomDerivatives(sequences, 35));
    expect(gradientErrors(beside.ofHead, through.ofHead, budget.gradients)).toEqual([]);
    expect(largestEntry(beside.ofDecoder)).toBeGreaterThan(0.01);
  });
}

function trainingCases(add: AddCase): void {
  add(
    "a critic learns returns, but not at rate 0 and not from shuffled returns",
    async (engineOf) => {
      const sequences = [11, 12, 13, 14].map((seed) => ({
        tokenIds: [...randomDerivatives([{ tokenIds: Array<number>(12).fill(0) }], seed)].flatMap(
          (row) => Array.from(row, (value) => Math.floor(((value + 1) / 2) * TINY.vocabularySize)),
        ),
      }));
      // 1 from the second token below 10 on, so no single token determines it
      const returns = sequences.map(({ tokenIds }) => {
        let seen = 0;
        return Float32Array.from(tokenIds, (id) => ((seen += id < 10 ? 1 : 0) > 1 ? 1 : -1));
      });
      const errorAfter = async (learningRate: number, shuffles: boolean): Promise<number> => {
        const engine = await engineOf({
          config: TINY,
          weights: loudWeights(TINY),
          trains: "full",
          valueHead: oneHead(TINY),
        });
        const gaps = async (): Promise<Float32Array[]> => {
          const { values = [] } = await engine.forward({ sequences, values: true });
          return values.map((row, i) => row.map((v, t) => v - (returns[i] as Float32Array)[t]!));
        };
        for (let step = 0; step < 60; step++) {
          const derivatives = await gaps();
          if (shuffles) for (const row of derivatives) row.reverse();
          await engine.backward({ sequences }, { values: derivatives });
          await engine.optimStep({ learningRate, maxGradientNorm: 1 });
        }
        const all = (await gaps()).flatMap((row) => [...row]);
        return all.reduce((sum, gap) => sum + gap * gap, 0) / all.length;
      };
      expect(await errorAfter(0.01, false)).toBeLessThan(0.1);
      expect(await errorAfter(0, false)).toBeGreaterThan(0.5);
      expect(await errorAfter(0.01, true)).toBeGreaterThan(0.5);
    },
  );

  add("value heads have a learning rate of their own", async (engineOf) => {
    const engine = await engineOf(options(TINY, "lora"));
    const sequences = sequencesOf(TINY);
    const before = await engine.parameters();
    await engine.backward({ sequences }, { values: valueDerivatives(sequences, 36) });
    await engine.optimStep({ learningRate: 0, valueLearningRate: 0.01 });
    const after = await engine.parameters();
    const moved = [...after].filter(([name, { data }]) =>
      data.some((value, i) => value !== before.get(name)?.data[i]),
    );
    expect(moved.map(([name]) => name)).toEqual(["score.weight", "score.bias"]);
  });

  add("training resumes from a checkpoint bit for bit, value heads included", async (engineOf) => {
    const given = options(TINY, "lora");
    const sequences = sequencesOf(TINY);
    const train = async (engine: TrainEngine, steps: readonly number[]): Promise<void> => {
      for (const step of steps) {
        const derivatives = {
          values: valueDerivatives(sequences, step),
          logProb: randomDerivatives(sequences, step),
        };
        await engine.backward({ sequences }, derivatives);
        await engine.optimStep({ learningRate: 0.01, valueLearningRate: 0.02, weightDecay: 0.01 });
      }
    };
    const whole = await engineOf(given);
    await train(whole, [1, 2]);
    const checkpoint = await whole.save();
    await train(whole, [3, 4]);
    const resumed = await engineOf(given);
    await resumed.load(checkpoint);
    await train(resumed, [3, 4]);
    expect(await resumed.save()).toEqual(await whole.save());
    const batch = { sequences, values: true };
    expect(await resumed.forward(batch)).toEqual(await whole.forward(batch));
    const { valueHead: _, ...without } = given;
    const headless = await engineOf(without);
    expect(await codeOf(headless.load(checkpoint))).toBe("CHECKPOINT_CORRUPT");
  });

  add("heads of another width, and derivatives of other shapes, are refused", async (engineOf) => {
    const foreign = engineOf({
      ...options(TINY, "full"),
      valueHead: loudValueHead({ ...TINY, width: 8 }),
    });
    expect(await codeOf(foreign)).toBe("ADAPTER_INCOMPATIBLE");
    const engine = await engineOf(options(TINY, "full"));
    const batch = { sequences: [{ tokenIds: [1, 2] }] };
    const backward = (...values: number[]): Promise<unknown> =>
      codeOf(engine.backward(batch, { values: [Float32Array.from(values)] }));
    expect(await backward(1, 2)).toBe("SHAPE_MISMATCH");
    expect(await backward(Number.NaN, 0, 0, 0)).toBe("NON_FINITE_VALUE");
    expect(await codeOf(engine.backward(batch, { values: [] }))).toBe("SHAPE_MISMATCH");
  });
}

function oneHead(config: DecoderConfig): ValueHead {
  return {
    heads: 1,
    tensors: new Map([
      ["score.weight", { shape: [1, config.width], data: new Float32Array(config.width) }],
      ["score.bias", { shape: [1], data: new Float32Array(1) }],
    ]),
  };
}

function plainValues(
  config: DecoderConfig,
  weights: TensorMap,
  sequences: readonly TrainSequence[],
  valueHead: ValueHead,
): number[][] {
  return sequences.map((sequence) => [
    ...plainOutputs(config, weights, sequence, valueHead).values,
  ]);
}
