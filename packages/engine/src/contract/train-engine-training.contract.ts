/**
 * The TrainEngine contract: batching, optimizer, checkpoints, learning and misuse.
 */
import { initializeAdapter, initializeDecoder } from "@waggle/model";
import type { TokenOutputs, TrainBatch, TrainEngine, TrainSequence } from "@waggle/protocol";
import { toBeAllClose, TOLERANCE } from "@waggle/testing";
import { expect } from "vitest";
import { sampleSize } from "../../../../test/fixtures/long.ts";
import {
  TINY,
  TINY_LLAMA,
  codeOf,
  contractCases,
  gradientErrors,
  largestEntry,
  loudAdapter,
  loudWeights,
  randomDerivatives,
  servedDerivatives,
  servedOutputs,
  servedSequences,
  variedSequences,
} from "./train-engine.fixture.ts";
import type { AddCase, ContractCase } from "./train-engine.fixture.ts";

expect.extend({ toBeAllClose });

/** @returns the tests, in order. */
export function trainEngineTraining(): ContractCase[] {
  return [...contractCases(batchingCases), ...contractCases(trainingCases)];
}

function batchingCases(add: AddCase): void {
  add("an absent or zero derivative gives no gradient", async (engineOf) => {
    const engine = await engineOf({ config: TINY, weights: loudWeights(TINY), trains: "full" });
    const sequences = servedSequences(engine, variedSequences(TINY));
    const zeros = sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length));
    await engine.backward({ sequences }, {});
    const none = servedDerivatives(engine, { logProb: zeros, entropy: zeros });
    await engine.backward({ sequences }, none);
    const gradients = [...(await engine.gradients()).values()];
    expect(gradients.length).toBeGreaterThan(10);
    expect(gradients.every(({ data }) => data.every((value) => value === 0))).toBe(true);
  });

  add("the derivative of token 0 is ignored", async (engineOf) => {
    const engine = await engineOf({ config: TINY, weights: loudWeights(TINY), trains: "full" });
    await engine.backward(
      { sequences: [{ tokenIds: [3, 4] }] },
      { logProb: [Float32Array.of(9, 0)] },
    );
    expect(largestEntry(await engine.gradients())).toBe(0);
  });

  add("gradients of several backward calls add up", async (engineOf, budget) => {
    const options = { config: TINY, weights: loudWeights(TINY), trains: "full" } as const;
    const whole = await engineOf(options);
    const sequences = servedSequences(whole, variedSequences(TINY));
    const logProb = randomDerivatives(sequences, 6);
    await whole.backward({ sequences }, { logProb });
    const parts = await engineOf(options);
    for (const [index, sequence] of sequences.entries()) {
      await parts.backward(
        { sequences: [sequence] },
        { logProb: [logProb[index] as Float32Array] },
      );
    }
    expect(
      gradientErrors(await parts.gradients(), await whole.gradients(), budget.gradients),
    ).toEqual([]);
  });

  add(
    "neither padding, order nor microbatches change outputs or gradients",
    async (engineOf, budget) => {
      const options = { config: TINY, weights: loudWeights(TINY), trains: "full" } as const;
      const together = await engineOf(options);
      const sequences = servedSequences(together, variedSequences(TINY));
      const derivatives = {
        logProb: randomDerivatives(sequences, 7),
        entropy: randomDerivatives(sequences, 8),
      };
      const apart = await engineOf({ ...options, maxMicrobatchTokens: 1 });
      const outputs = await together.forward({ sequences });
      const reversed = await apart.forward({ sequences: sequences.toReversed() });
      for (const output of servedOutputs(together)) {
        outputs[output].forEach((values, index) => {
          const other = reversed[output][sequences.length - 1 - index] as Float32Array;
          expect(values).toBeAllClose(other, budget.arranged);
        });
      }
      await together.backward({ sequences }, servedDerivatives(together, derivatives));
      await apart.backward(
        { sequences: sequences.toReversed() },
        servedDerivatives(apart, {
          logProb: derivatives.logProb.toReversed(),
          entropy: derivatives.entropy.toReversed(),
        }),
      );
      expect(
        gradientErrors(await apart.gradients(), await together.gradients(), budget.gradients),
      ).toEqual([]);
    },
  );

  add("empty batches and sequences of at most one token give zeros", async (engineOf) => {
    const engine = await engineOf({ config: TINY, weights: loudWeights(TINY), trains: "full" });
    expect((await engine.forward({ sequences: [] })).logProb).toEqual([]);
    const sequences = [{ tokenIds: [] }, { tokenIds: [5] }, { tokenIds: [5, 6] }];
    const { logProb } = await engine.forward({ sequences });
    expect(logProb.map((values) => values.length)).toEqual([0, 1, 2]);
    expect(logProb[1]?.[0]).toBe(0);
    expect(logProb[2]?.[1]).toBeLessThan(0);
  });

  add("a taken token outside its kept set has log-prob −∞ and no gradient", async (engineOf) => {
    const engine = await engineOf({ config: TINY, weights: loudWeights(TINY), trains: "full" });
    const sequences = [{ tokenIds: [5, 6], keptTokenIds: [null, [1, 2]] }];
    const { logProb, rawLogProb } = await engine.forward({ sequences });
    expect(logProb[0]?.[1]).toBe(-Infinity);
    expect(rawLogProb[0]?.[1]).toBeGreaterThan(-100);
    expect(await codeOf(engine.backward({ sequences }, { logProb: [Float32Array.of(0, 1)] }))).toBe(
      "INVALID_ARGUMENT",
    );
  });

  add("a fresh adapter changes nothing and its B gets the first gradient", async (engineOf) => {
    const weights = loudWeights(TINY);
    const adapter = initializeAdapter(TINY, { rank: 3, alpha: 6, seed: 4 });
    const base = await engineOf({ config: TINY, weights, trains: "full" });
    const engine = await engineOf({ config: TINY, weights, trains: "lora", adapter });
    const sequences = servedSequences(engine, variedSequences(TINY));
    expect(await engine.forward({ sequences })).toEqual(await base.forward({ sequences }));
    await engine.backward({ sequences }, { logProb: randomDerivatives(sequences, 9) });
    const gradients = [...(await engine.gradients())];
    const moved = gradients.filter(([, { data }]) => data.some((value) => value !== 0));
    const sideB = gradients.filter(([key]) => key.includes("lora_B"));
    expect(sideB.length).toBe(14);
    expect(moved).toEqual(sideB);
  });
}

function trainingCases(add: AddCase): void {
  add("optimStep moves parameters by AdamW on the gradients, over 10 steps", async (engineOf) => {
    const weights = loudWeights(TINY);
    const engine = await engineOf({ config: TINY, weights, trains: "full" });
    const sequences = servedSequences(engine, variedSequences(TINY));
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

  add("a non-finite gradient is refused and dropped, and changes nothing", async (engineOf) => {
    const engine = await engineOf({ config: TINY, weights: loudWeights(TINY), trains: "full" });
    const sequences = servedSequences(engine, variedSequences(TINY));
    const huge = sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length).fill(3e38));
    const before = await engine.parameters();
    await engine.backward({ sequences }, { logProb: huge });
    expect(await codeOf(engine.optimStep({ learningRate: 1 }))).toBe("NON_FINITE_VALUE");
    expect(await engine.parameters()).toEqual(before);
    expect(largestEntry(await engine.gradients())).toBe(0);
    expect((await engine.optimStep({ learningRate: 1 })).step).toBe(1);
  });

  for (const trains of ["full", "lora"] as const) {
    add(`training resumes from a checkpoint bit for bit (${trains})`, async (engineOf) => {
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

  add("a checkpoint of another model is refused", async (engineOf) => {
    const engine = await engineOf({ config: TINY, weights: loudWeights(TINY), trains: "full" });
    const { step, tensors } = await engine.save();
    const fewer = new Map([...tensors].slice(1));
    const reshaped = new Map(tensors);
    const [key] = [...tensors.keys()];
    reshaped.set(key as string, { shape: [1], data: new Float32Array(1) });
    expect(await codeOf(engine.load({ step, tensors: fewer }))).toBe("CHECKPOINT_CORRUPT");
    expect(await codeOf(engine.load({ step, tensors: reshaped }))).toBe("CHECKPOINT_CORRUPT");
    expect((await engine.save()).tensors).toEqual(tensors);
  });

  add("a tiny model overfits one sequence, and not at learning rate 0", async (engineOf) => {
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
    for (const seed of [1, 2, 3].slice(0, sampleSize(1, 3))) {
      expect(await meanLogProb(0.01, seed)).toBeGreaterThan(-0.1);
      // A uniform distribution over 29 tokens has −3.37.
      expect(await meanLogProb(0, seed)).toBeLessThan(-3);
    }
  });

  add("the caller's arrays are neither kept nor written to", async (engineOf) => {
    const weights = loudWeights(TINY);
    const engine = await engineOf({ config: TINY, weights, trains: "full" });
    const sequences = servedSequences(engine, variedSequences(TINY));
    const before = await engine.forward({ sequences });
    const copy = (await engine.parameters()).get("model.norm.weight")?.data;
    copy?.fill(0);
    weights.get("model.norm.weight")?.data.fill(0);
    expect(await engine.forward({ sequences })).toEqual(before);
    await engine.backward({ sequences }, { logProb: randomDerivatives(sequences, 1) });
    await engine.optimStep({ learningRate: 1 });
    expect(weights.get("model.norm.weight")?.data.every((value) => value === 0)).toBe(true);
  });

  add("misuse is refused by code", async (engineOf) => {
    const weights = loudWeights(TINY);
    const engine = await engineOf({ config: TINY, weights, trains: "full" });
    const forward = (sequence: TrainSequence): Promise<TokenOutputs> =>
      engine.forward({ sequences: [sequence] });
    expect(await codeOf(forward({ tokenIds: [1, 29] }))).toBe("INVALID_ARGUMENT");
    expect(await codeOf(forward({ tokenIds: [1, -1] }))).toBe("INVALID_ARGUMENT");
    expect(await codeOf(forward({ tokenIds: [1, 2], temperatures: 0 }))).toBe("INVALID_ARGUMENT");
    expect(await codeOf(forward({ tokenIds: [1, 2], temperatures: [1] }))).toBe("SHAPE_MISMATCH");
    expect(await codeOf(forward({ tokenIds: [1, 2], keptTokenIds: [null, []] }))).toBe(
      "INVALID_ARGUMENT",
    );
    expect(await codeOf(forward({ tokenIds: Array(65).fill(1) }))).toBe("CONTEXT_OVERFLOW");
    const batch = { sequences: [{ tokenIds: [1, 2] }] };
    const short = { logProb: [new Float32Array(1)] };
    const broken = { entropy: [Float32Array.of(0, Number.NaN)] };
    expect(await codeOf(engine.backward(batch, short))).toBe("SHAPE_MISMATCH");
    expect(await codeOf(engine.backward(batch, broken))).toBe("NON_FINITE_VALUE");
    const adapter = loudAdapter(TINY_LLAMA);
    const foreign = engineOf({ config: TINY, weights, trains: "lora", adapter });
    expect(await codeOf(foreign)).toBe("ADAPTER_INCOMPATIBLE");
    await engine.dispose();
    expect(await codeOf(engine.forward(batch))).toBe("DISPOSED");
  });

  add("an option that capabilities() does not list is refused, not ignored", async (engineOf) => {
    const engine = await engineOf({ config: TINY, weights: loudWeights(TINY), trains: "full" });
    const { outputs, derivatives, sequences } = engine.capabilities();
    const chain = { tokenIds: [1, 2, 3] };
    const asked: [boolean, TrainBatch][] = [
      [outputs.includes("values"), { sequences: [chain], values: true }],
      [
        outputs.includes("candidateLogProbs"),
        { sequences: [{ ...chain, candidateTokenIds: [null, [4, 5], null] }] },
      ],
      [sequences.includes("temperatures"), { sequences: [{ ...chain, temperatures: 0.5 }] }],
      [
        sequences.includes("keptTokenIds"),
        { sequences: [{ ...chain, keptTokenIds: [null, [2, 5], null] }] },
      ],
      [sequences.includes("parents"), { sequences: [{ ...chain, parents: [-1, 0, 0] }] }],
      [sequences.includes("positions"), { sequences: [{ ...chain, positions: [0, 1, 5] }] }],
    ];
    for (const [isServed, batch] of asked) {
      const code = await codeOf(engine.forward(batch).then(() => "served"));
      expect(code).toBe(isServed ? "served" : "CAPABILITY_MISSING");
    }
    const entropy = { entropy: [Float32Array.of(0, 1, 1)] };
    const code = await codeOf(
      engine.backward({ sequences: [chain] }, entropy).then(() => "served"),
    );
    expect(code).toBe(derivatives.includes("entropy") ? "served" : "CAPABILITY_MISSING");
  });
}
