/**
 * What every TrainEngine must do, as a suite that each implementation runs. Numbers are held against
 * PyTorch (golden decoders), against central differences of a float64 twin, and against themselves
 * under other batchings.
 */
import { initializeAdapter, initializeDecoder, mergeAdapter } from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type {
  Tensor,
  TensorMap,
  TokenDerivatives,
  TokenOutputs,
  TrainEngine,
  TrainSequence,
} from "@waggle/protocol";
import { toBeAllClose, TOLERANCE } from "@waggle/testing";
import { afterEach, describe, expect, test } from "vitest";
import { readGoldenDecoder } from "./golden-decoder.fixture.ts";
import type { GoldenCase } from "./golden-decoder.fixture.ts";
import { plainOutputs } from "./plain-decoder.fixture.ts";

expect.extend({ toBeAllClose });

export type ContractEngineOptions = {
  readonly config: DecoderConfig;
  readonly weights: TensorMap;
  readonly trains: "lora" | "full";
  readonly adapter?: Adapter;
  readonly maxMicrobatchTokens?: number;
};

export type TrainEngineContractOptions = {
  readonly name: string;
  readonly create: (options: ContractEngineOptions) => Promise<TrainEngine>;
  /** Deviations, by the test's name, each with its reason. */
  readonly skip?: readonly { readonly test: string; readonly reason: string }[];
};

const OUTPUTS = ["logProb", "rawLogProb", "entropy", "sumSquaredProb"] as const;
const DERIVATIVES = ["logProb", "rawLogProb", "entropy"] as const;

const TINY: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 29,
  width: 24,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  headSize: 8,
  feedForwardSize: 20,
  ropeTheta: 1000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 64,
  ropeScaling: null,
};
const CONFIGS: readonly DecoderConfig[] = [
  TINY,
  { ...TINY, modelType: "llama", tiedEmbeddings: false, keyValueHeads: 4, layers: 1 },
];

/** Gradients are sums over tokens and layers: relative to the largest entry of a tensor. */
const GRADIENT_TOLERANCE = 2e-4;

export function trainEngineContract({ name, create, skip = [] }: TrainEngineContractOptions): void {
  describe(`${name} keeps the TrainEngine contract:`, () => {
    const open: TrainEngine[] = [];
    const engineOf = async (options: ContractEngineOptions): Promise<TrainEngine> => {
      const engine = await create(options);
      open.push(engine);
      return engine;
    };
    afterEach(async () => {
      for (const engine of open.splice(0)) await engine.dispose();
    });
    const names = new Set<string>();
    const check = (title: string, body: () => Promise<void>): void => {
      names.add(title);
      const deviation = skip.find((entry) => entry.test === title);
      if (deviation === undefined) test(title, body);
      else test.skip(`${title} (${deviation.reason})`, body);
    };

    for (const modelType of ["qwen3", "llama"] as const) {
      for (const caseName of ["plain", "cool", "full", "lora"] as const) {
        check(`forward gives PyTorch's outputs (${modelType}, ${caseName})`, async () => {
          const { config, weights, adapter, cases } = readGoldenDecoder(modelType);
          const engine = await engineOf(
            caseName === "lora"
              ? { config, weights, trains: "lora", adapter }
              : { config, weights, trains: "full" },
          );
          const { sequences, outputs: expected } = cases[caseName];
          const outputs = await engine.forward({ sequences });
          for (const output of OUTPUTS) {
            expected.forEach((values, index) => {
              expect(outputs[output][index]).toBeAllClose(values[output], TOLERANCE.f32Reduction);
            });
          }
        });
      }
      for (const trains of ["full", "lora"] as const) {
        check(`backward gives PyTorch's gradients (${modelType}, ${trains})`, async () => {
          const { config, weights, adapter, gradients, cases } = readGoldenDecoder(modelType);
          const engine = await engineOf({
            config,
            weights,
            trains,
            ...(trains === "lora" ? { adapter } : {}),
          });
          const golden = cases[trains];
          await engine.backward({ sequences: golden.sequences }, derivativesOf(golden));
          const actual = await engine.gradients();
          const watched = [...gradients].filter(
            ([key]) => key.includes("lora_") === (trains === "lora"),
          );
          expect(watched.length).toBeGreaterThan(6);
          for (const [key, tensor] of watched) expectGradient(actual.get(key), tensor.data, key);
        });
      }
    }

    for (const config of CONFIGS) {
      check(`forward equals the plain twin (${config.modelType})`, async () => {
        const weights = loudWeights(config);
        const engine = await engineOf({ config, weights, trains: "full" });
        const sequences = variedSequences(config);
        const outputs = await engine.forward({ sequences });
        for (const output of OUTPUTS) {
          sequences.forEach((sequence, index) => {
            const expected = plainOutputs(config, weights, sequence)[output];
            expect(outputs[output][index]).toBeAllClose(expected, TOLERANCE.f32Reduction);
          });
        }
      });

      for (const trains of ["full", "lora"] as const) {
        for (const output of DERIVATIVES) {
          check(
            `the gradient of ${output} equals central differences of the plain twin, every tensor (${config.modelType}, ${trains})`,
            async () => {
              const weights = loudWeights(config);
              const adapter = loudAdapter(config);
              const engine = await engineOf({
                config,
                weights,
                trains,
                ...(trains === "lora" ? { adapter } : {}),
              });
              const sequences = variedSequences(config);
              const derivatives = { [output]: randomDerivatives(sequences, 5) };
              await engine.backward({ sequences }, derivatives);
              const gradients = await engine.gradients();
              const parameters = trains === "lora" ? adapter.tensors : weights;
              expect([...gradients.keys()]).toEqual([...parameters.keys()]);
              for (const [key, tensor] of parameters) {
                const gradient = gradients.get(key)?.data ?? new Float32Array();
                const largest = Math.max(...gradient.map(Math.abs));
                const index = gradient.findIndex((value) => Math.abs(value) === largest);
                const expected = centralDifference(tensor.data, index, () => {
                  const effective =
                    trains === "lora" ? mergeAdapter(config, weights, adapter) : weights;
                  return weightedSum(config, effective, sequences, derivatives);
                });
                // Differences in f64 of parameters that lie on the f32 grid: 1e-3 covers the step.
                expect(Math.abs((gradient[index] as number) / expected - 1), key).toBeLessThan(
                  1e-3,
                );
              }
            },
          );
        }
      }
    }

    check("an absent or zero derivative gives no gradient", async () => {
      const engine = await engineOf({ config: TINY, weights: loudWeights(TINY), trains: "full" });
      const sequences = variedSequences(TINY);
      const zeros = sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length));
      await engine.backward({ sequences }, {});
      await engine.backward({ sequences }, { logProb: zeros, entropy: zeros });
      const gradients = [...(await engine.gradients()).values()];
      expect(gradients.length).toBeGreaterThan(10);
      expect(gradients.every(({ data }) => data.every((value) => value === 0))).toBe(true);
    });

    check("the derivative of token 0 is ignored", async () => {
      const engine = await engineOf({ config: TINY, weights: loudWeights(TINY), trains: "full" });
      await engine.backward(
        { sequences: [{ tokenIds: [3, 4] }] },
        { logProb: [Float32Array.of(9, 0)] },
      );
      expect(largestEntry(await engine.gradients())).toBe(0);
    });

    check("gradients of several backward calls add up", async () => {
      const options = { config: TINY, weights: loudWeights(TINY), trains: "full" } as const;
      const sequences = variedSequences(TINY);
      const logProb = randomDerivatives(sequences, 6);
      const whole = await engineOf(options);
      await whole.backward({ sequences }, { logProb });
      const parts = await engineOf(options);
      for (const [index, sequence] of sequences.entries()) {
        await parts.backward(
          { sequences: [sequence] },
          { logProb: [logProb[index] as Float32Array] },
        );
      }
      await expectSameGradients(parts, whole);
    });

    check("neither padding, order nor microbatches change outputs or gradients", async () => {
      const options = { config: TINY, weights: loudWeights(TINY), trains: "full" } as const;
      const sequences = variedSequences(TINY);
      const derivatives = {
        logProb: randomDerivatives(sequences, 7),
        entropy: randomDerivatives(sequences, 8),
      };
      const together = await engineOf(options);
      const apart = await engineOf({ ...options, maxMicrobatchTokens: 1 });
      const outputs = await together.forward({ sequences });
      const reversed = await apart.forward({ sequences: sequences.toReversed() });
      for (const output of OUTPUTS) {
        outputs[output].forEach((values, index) => {
          const other = reversed[output][sequences.length - 1 - index] as Float32Array;
          expect(values).toBeAllClose(other, TOLERANCE.f32);
        });
      }
      await together.backward({ sequences }, derivatives);
      await apart.backward(
        { sequences: sequences.toReversed() },
        {
          logProb: derivatives.logProb.toReversed(),
          entropy: derivatives.entropy.toReversed(),
        },
      );
      await expectSameGradients(apart, together);
    });

    check("empty batches and sequences of at most one token give zeros", async () => {
      const engine = await engineOf({ config: TINY, weights: loudWeights(TINY), trains: "full" });
      expect((await engine.forward({ sequences: [] })).logProb).toEqual([]);
      const sequences = [{ tokenIds: [] }, { tokenIds: [5] }, { tokenIds: [5, 6] }];
      const { logProb } = await engine.forward({ sequences });
      expect(logProb.map((values) => values.length)).toEqual([0, 1, 2]);
      expect(logProb[1]?.[0]).toBe(0);
      expect(logProb[2]?.[1]).toBeLessThan(0);
    });

    check("a taken token outside of its kept set has log-prob −∞ and no gradient", async () => {
      const engine = await engineOf({ config: TINY, weights: loudWeights(TINY), trains: "full" });
      const sequences = [{ tokenIds: [5, 6], keptTokenIds: [null, [1, 2]] }];
      const { logProb, rawLogProb } = await engine.forward({ sequences });
      expect(logProb[0]?.[1]).toBe(-Infinity);
      expect(rawLogProb[0]?.[1]).toBeGreaterThan(-100);
      await expectCode(
        engine.backward({ sequences }, { logProb: [Float32Array.of(0, 1)] }),
        "INVALID_ARGUMENT",
      );
    });

    check("a fresh adapter changes nothing and its B gets the first gradient", async () => {
      const weights = loudWeights(TINY);
      const adapter = initializeAdapter(TINY, { rank: 3, alpha: 6, seed: 4 });
      const base = await engineOf({ config: TINY, weights, trains: "full" });
      const engine = await engineOf({ config: TINY, weights, trains: "lora", adapter });
      const sequences = variedSequences(TINY);
      expect(await engine.forward({ sequences })).toEqual(await base.forward({ sequences }));
      await engine.backward({ sequences }, { logProb: randomDerivatives(sequences, 9) });
      for (const [key, { data }] of await engine.gradients()) {
        expect(
          data.some((value) => value !== 0),
          key,
        ).toBe(key.includes("lora_B"));
      }
    });

    check("optimStep moves parameters by AdamW on the gradients, over 10 steps", async () => {
      const weights = loudWeights(TINY);
      const engine = await engineOf({ config: TINY, weights, trains: "full" });
      const sequences = variedSequences(TINY);
      const options = { learningRate: 0.01, weightDecay: 0.1, maxGradientNorm: 0.5 };
      const key = "model.layers.0.mlp.down_proj.weight";
      const expected = Float64Array.from(weights.get(key)?.data ?? []);
      const first = new Float64Array(expected.length);
      const second = new Float64Array(expected.length);
      for (let step = 1; step <= 10; step++) {
        await engine.backward({ sequences }, { logProb: randomDerivatives(sequences, step) });
        const gradients = await engine.gradients();
        const norm = Math.hypot(...[...gradients.values()].map(({ data }) => Math.hypot(...data)));
        const scale = Math.min(1, 0.5 / norm);
        const result = await engine.optimStep(options);
        expect(result.step).toBe(step);
        expect(result.gradientNorm / norm).toBeCloseTo(1, 5);
        gradients.get(key)?.data.forEach((value, i) => {
          const g = value * scale;
          first[i] = 0.9 * (first[i] as number) + 0.1 * g;
          second[i] = 0.95 * (second[i] as number) + 0.05 * g * g;
          const m = (first[i] as number) / (1 - 0.9 ** step);
          const v = (second[i] as number) / (1 - 0.95 ** step);
          const decayed = (expected[i] as number) * (1 - 0.01 * 0.1);
          expected[i] = decayed - (0.01 * m) / (Math.sqrt(v) + 1e-8);
        });
        expect(largestEntry(await engine.gradients())).toBe(0);
      }
      expect((await engine.parameters()).get(key)?.data).toBeAllClose(expected, TOLERANCE.f32);
    });

    check("a gradient that is not finite is refused, dropped and changes nothing", async () => {
      const engine = await engineOf({ config: TINY, weights: loudWeights(TINY), trains: "full" });
      const sequences = variedSequences(TINY);
      const huge = sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length).fill(3e38));
      const before = await engine.parameters();
      await engine.backward({ sequences }, { logProb: huge });
      await expectCode(engine.optimStep({ learningRate: 1 }), "NON_FINITE_VALUE");
      expect(await engine.parameters()).toEqual(before);
      expect(largestEntry(await engine.gradients())).toBe(0);
      expect((await engine.optimStep({ learningRate: 1 })).step).toBe(1);
    });

    for (const trains of ["full", "lora"] as const) {
      check(`a loaded checkpoint goes on bit by bit (${trains})`, async () => {
        const options = {
          config: TINY,
          weights: loudWeights(TINY),
          trains,
          ...(trains === "lora" ? { adapter: loudAdapter(TINY) } : {}),
        };
        const sequences = variedSequences(TINY);
        const train = async (engine: TrainEngine, steps: readonly number[]): Promise<void> => {
          for (const step of steps) {
            await engine.backward({ sequences }, { logProb: randomDerivatives(sequences, step) });
            await engine.optimStep({ learningRate: 0.01, weightDecay: 0.01 });
          }
        };
        const whole = await engineOf(options);
        await train(whole, [1, 2, 3]);
        const checkpoint = await whole.save();
        await train(whole, [4, 5]);
        const resumed = await engineOf(options);
        await resumed.backward({ sequences }, { logProb: randomDerivatives(sequences, 99) });
        await resumed.load(checkpoint);
        await train(resumed, [4, 5]);
        expect(await resumed.save()).toEqual(await whole.save());
        expect(await resumed.forward({ sequences })).toEqual(await whole.forward({ sequences }));
      });
    }

    check("a checkpoint of another model is refused", async () => {
      const engine = await engineOf({ config: TINY, weights: loudWeights(TINY), trains: "full" });
      const { step, tensors } = await engine.save();
      const fewer = new Map([...tensors].slice(1));
      const reshaped = new Map(tensors);
      const [key] = [...tensors.keys()];
      reshaped.set(key as string, { shape: [1], data: new Float32Array(1) });
      await expectCode(engine.load({ step, tensors: fewer }), "CHECKPOINT_CORRUPT");
      await expectCode(engine.load({ step, tensors: reshaped }), "CHECKPOINT_CORRUPT");
      expect((await engine.save()).tensors).toEqual(tensors);
    });

    check("a tiny model overfits one sequence, and not at learning rate 0", async () => {
      const meanLogProb = async (learningRate: number, seed: number): Promise<number> => {
        const weights = initializeDecoder(TINY, seed);
        const engine = await engineOf({ config: TINY, weights, trains: "full" });
        const tokenIds = [1, 7, 7, 3, 28, 12, 7, 5, 1, 19, 4, 4];
        const derivative = new Float32Array(tokenIds.length).fill(-1 / 11);
        for (let step = 0; step < 60; step++) {
          await engine.backward({ sequences: [{ tokenIds }] }, { logProb: [derivative] });
          await engine.optimStep({ learningRate, maxGradientNorm: 1 });
        }
        const { logProb } = await engine.forward({ sequences: [{ tokenIds }] });
        return (logProb[0] as Float32Array).reduce((sum, value) => sum + value, 0) / 11;
      };
      for (const seed of [1, 2, 3]) {
        expect(await meanLogProb(0.01, seed)).toBeGreaterThan(-0.1);
        // Uniform over 29 tokens is −3.37.
        expect(await meanLogProb(0, seed)).toBeLessThan(-3);
      }
    });

    check("the caller's arrays are neither kept nor written to", async () => {
      const weights = loudWeights(TINY);
      const engine = await engineOf({ config: TINY, weights, trains: "full" });
      const sequences = variedSequences(TINY);
      const before = await engine.forward({ sequences });
      const copy = (await engine.parameters()).get("model.norm.weight")?.data;
      copy?.fill(0);
      weights.get("model.norm.weight")?.data.fill(0);
      expect(await engine.forward({ sequences })).toEqual(before);
      await engine.backward({ sequences }, { logProb: randomDerivatives(sequences, 1) });
      await engine.optimStep({ learningRate: 1 });
      expect(weights.get("model.norm.weight")?.data.every((value) => value === 0)).toBe(true);
    });

    check("misuse is refused by code", async () => {
      const weights = loudWeights(TINY);
      const engine = await engineOf({ config: TINY, weights, trains: "full" });
      const forward = (sequence: TrainSequence): Promise<TokenOutputs> =>
        engine.forward({ sequences: [sequence] });
      await expectCode(forward({ tokenIds: [1, 29] }), "INVALID_ARGUMENT");
      await expectCode(forward({ tokenIds: [1, -1] }), "INVALID_ARGUMENT");
      await expectCode(forward({ tokenIds: [1, 2], temperatures: 0 }), "INVALID_ARGUMENT");
      await expectCode(forward({ tokenIds: [1, 2], temperatures: [1] }), "SHAPE_MISMATCH");
      await expectCode(forward({ tokenIds: [1, 2], keptTokenIds: [null, []] }), "INVALID_ARGUMENT");
      await expectCode(forward({ tokenIds: Array(65).fill(1) }), "CONTEXT_OVERFLOW");
      const batch = { sequences: [{ tokenIds: [1, 2] }] };
      const short = { logProb: [new Float32Array(1)] };
      const broken = { entropy: [Float32Array.of(0, Number.NaN)] };
      await expectCode(engine.backward(batch, short), "SHAPE_MISMATCH");
      await expectCode(engine.backward(batch, broken), "NON_FINITE_VALUE");
      const adapter = loudAdapter(CONFIGS[1] as DecoderConfig);
      const foreign = create({ config: TINY, weights, trains: "lora", adapter });
      await expectCode(foreign, "ADAPTER_INCOMPATIBLE");
      await engine.dispose();
      await expectCode(engine.forward(batch), "DISPOSED");
    });

    test("every listed deviation names a test of the contract", () => {
      expect(skip.filter((entry) => !names.has(entry.test))).toEqual([]);
    });
  });
}

/** Weights large enough that every part shows in outputs and gradients. */
function loudWeights(config: DecoderConfig): TensorMap {
  return scaled(initializeDecoder(config, 11), 12);
}

function loudAdapter(config: DecoderConfig): Adapter {
  const adapter = initializeAdapter(config, { rank: 3, alpha: 6, seed: 12 });
  const random = pseudoRandom(13);
  for (const [key, { data }] of adapter.tensors) {
    if (key.includes("lora_B")) data.forEach((_, i) => (data[i] = 0.3 * random()));
  }
  return adapter;
}

function scaled(weights: TensorMap, factor: number): TensorMap {
  const random = pseudoRandom(17);
  return new Map(
    Array.from(weights, ([key, { shape, data }]): [string, Tensor] => [
      key,
      { shape, data: data.map((value) => (shape.length > 1 ? value * factor : 1 + random() / 3)) },
    ]),
  );
}

/** Different lengths, temperatures and kept sets in one batch. */
function variedSequences({ vocabularySize }: DecoderConfig): TrainSequence[] {
  const random = pseudoRandom(19);
  const ids = (length: number): number[] =>
    Array.from({ length }, () => Math.floor(((random() + 1) / 2) * vocabularySize));
  const kept = ids(9);
  return [
    { tokenIds: ids(11) },
    { tokenIds: ids(5), temperatures: 0.7 },
    {
      tokenIds: kept,
      temperatures: kept.map((_, token) => 0.6 + token / 10),
      keptTokenIds: kept.map((id, token) => (token % 2 ? [...new Set([id, 0, 3, token])] : null)),
    },
  ];
}

function randomDerivatives(sequences: readonly TrainSequence[], seed: number): Float32Array[] {
  const random = pseudoRandom(seed);
  return sequences.map(({ tokenIds }) => Float32Array.from(tokenIds, random));
}

/** Uniform in (−1, 1); a linear congruential generator is enough here. */
function pseudoRandom(seed: number): () => number {
  let state = seed * 7919 + 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

function derivativesOf({ derivatives }: GoldenCase): TokenDerivatives {
  const arrays = (name: (typeof DERIVATIVES)[number]): Float32Array[] =>
    (derivatives?.[name] ?? []).map((values) => Float32Array.from(values));
  return {
    logProb: arrays("logProb"),
    rawLogProb: arrays("rawLogProb"),
    entropy: arrays("entropy"),
  };
}

function weightedSum(
  config: DecoderConfig,
  weights: TensorMap,
  sequences: readonly TrainSequence[],
  derivatives: TokenDerivatives,
): number {
  let total = 0;
  for (const [index, sequence] of sequences.entries()) {
    const outputs = plainOutputs(config, weights, sequence);
    for (const name of DERIVATIVES) {
      derivatives[name]?.[index]?.forEach((factor, token) => {
        if (token > 0) total += factor * (outputs[name][token] as number);
      });
    }
  }
  return total;
}

/** Leaves `data` as it was; the step is the one that f32 really took. */
function centralDifference(data: Float32Array, index: number, value: () => number): number {
  const kept = data[index] as number;
  const at = (step: number): { readonly x: number; readonly y: number } => {
    data[index] = kept + step;
    return { x: data[index] as number, y: value() };
  };
  const [left, right] = [at(-1e-3), at(1e-3)];
  data[index] = kept;
  return (right.y - left.y) / (right.x - left.x);
}

function expectGradient(actual: Tensor | undefined, expected: Float32Array, key: string): void {
  const largest = Math.max(...expected.map(Math.abs));
  expect(largest, key).toBeGreaterThan(0);
  expect(actual?.data, key).toBeAllClose(expected, {
    relative: 0,
    absolute: GRADIENT_TOLERANCE * largest,
  });
}

async function expectSameGradients(actual: TrainEngine, expected: TrainEngine): Promise<void> {
  const gradients = await actual.gradients();
  for (const [key, { data }] of await expected.gradients()) {
    expectGradient(gradients.get(key), data, key);
  }
}

function largestEntry(tensors: TensorMap): number {
  return Math.max(...[...tensors.values()].map(({ data }) => Math.max(...data.map(Math.abs))));
}

async function expectCode(promise: Promise<unknown>, code: string): Promise<void> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(WaggleError.is(error) ? error.code : error).toBe(code);
}
