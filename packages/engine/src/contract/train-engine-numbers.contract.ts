/**
 * The TrainEngine contract: outputs and gradients against PyTorch's golden decoders and against central
 * differences of a float64 twin.
 */
import { mergeAdapter } from "@waggle/model";
import type { TensorMap, TokenDerivatives } from "@waggle/protocol";
import { toBeAllClose } from "@waggle/testing";
import { plainOutputs } from "@waggle/testing/plain-decoder";
import { expect } from "vitest";
import { GOLDEN_TYPES, readGoldenDecoder } from "./golden-decoder.fixture.ts";
import type { GoldenCase } from "./golden-decoder.fixture.ts";
import {
  DERIVATIVES,
  TINY,
  TINY_LLAMA,
  TINY_QWEN2,
  TINY_SMOLLM3,
  centralDifference,
  contractCases,
  gradientErrors,
  kindsOf,
  largestNormError,
  loudEngine,
  loudWeights,
  randomDerivatives,
  servedOutputs,
  servedSequences,
  variedSequences,
  weightedSum,
} from "./train-engine.fixture.ts";
import type { AddCase, ContractCase } from "./train-engine.fixture.ts";

expect.extend({ toBeAllClose });

/** @returns the tests, in order. */
export function trainEngineNumbers(): ContractCase[] {
  return contractCases(numberCases);
}

function numberCases(add: AddCase): void {
  for (const modelType of GOLDEN_TYPES) {
    const hasFewGoldens = modelType === "qwen2" || modelType === "smollm3";
    const cool = hasFewGoldens ? [] : (["cool"] as const);
    for (const caseName of ["plain", ...cool, "full", "lora"] as const) {
      add(
        `forward gives PyTorch's outputs (${modelType}, ${caseName})`,
        async (engineOf, budget) => {
          const { config, weights, adapter, cases } = readGoldenDecoder(modelType);
          const engine = await engineOf(
            caseName === "lora"
              ? { config, weights, trains: "lora", adapter }
              : { config, weights, trains: "full" },
          );
          const { sequences, outputs: expected } = cases[caseName] as GoldenCase;
          const outputs = await engine.forward({ sequences });
          for (const output of servedOutputs(engine)) {
            expected.forEach((values, index) => {
              expect(outputs[output][index]).toBeAllClose(values[output], budget.outputs);
            });
          }
        },
      );
    }
    for (const trains of ["full", "lora"] as const) {
      add(
        `backward gives PyTorch's gradients of every tensor (${modelType}, ${trains})`,
        async (engineOf, budget) => {
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
          const expected = gradients(trains);
          const compared = hasFewGoldens && trains === "full" ? kindsOf : namesOf;
          expect(compared(expected)).toEqual(compared(actual));
          expect(gradientErrors(actual, expected, budget.gradients)).toEqual([]);
          expect(largestNormError(actual, expected)).toBeLessThan(budget.norm);
        },
      );
    }
  }

  for (const config of [TINY, TINY_LLAMA, TINY_QWEN2, TINY_SMOLLM3]) {
    // derivatives of the outputs do not depend on the type, so two types get all of them
    const differed = [TINY, TINY_LLAMA].includes(config) ? DERIVATIVES : (["logProb"] as const);
    add(`forward equals the plain twin (${config.modelType})`, async (engineOf, budget) => {
      const weights = loudWeights(config);
      const engine = await engineOf({ config, weights, trains: "full" });
      const sequences = servedSequences(engine, variedSequences(config));
      const outputs = await engine.forward({ sequences });
      for (const output of servedOutputs(engine)) {
        sequences.forEach((sequence, index) => {
          const expected = plainOutputs(config, weights, sequence)[output];
          expect(outputs[output][index]).toBeAllClose(expected, budget.outputs);
        });
      }
    });

    for (const trains of ["full", "lora"] as const) {
      for (const output of differed) {
        add(
          `the gradient of ${output} equals central differences of the plain twin, every tensor (${config.modelType}, ${trains})`,
          async (engineOf, budget) => {
            const { engine, weights, adapter } = await loudEngine(engineOf, config, trains);
            const sequences = servedSequences(engine, variedSequences(config));
            const derivatives = { [output]: randomDerivatives(sequences, 5) };
            await engine.backward({ sequences }, derivatives);
            const gradients = await engine.gradients();
            const parameters = trains === "lora" ? adapter.tensors : weights;
            expect([...gradients.keys()]).toEqual([...parameters.keys()]);
            const errors = new Map<string, number>();
            for (const [key, tensor] of parameters) {
              const gradient = gradients.get(key)?.data ?? new Float32Array();
              const largest = Math.max(...gradient.map(Math.abs));
              const index = gradient.findIndex((value) => Math.abs(value) === largest);
              const expected = centralDifference(tensor.data, index, () => {
                const effective =
                  trains === "lora" ? mergeAdapter(config, weights, adapter) : weights;
                return weightedSum(config, effective, sequences, derivatives);
              });
              errors.set(key, Math.abs((gradient[index] as number) / expected - 1));
            }
            expect([...errors].filter(([, error]) => !(error < budget.difference))).toEqual([]);
          },
        );
      }
    }
  }
}

function namesOf(tensors: TensorMap): Set<string> {
  return new Set(tensors.keys());
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
