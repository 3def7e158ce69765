/**
 * The TrainEngine contract: log-probs of candidates, values of heads and the gradients of both against
 * PyTorch's, for the golden decoders.
 */
import type { TokenDerivatives } from "@waggle/protocol";
import { toBeAllClose } from "@waggle/testing";
import { expect } from "vitest";
import { readGoldenDecoder, readGoldenHeads } from "./golden-decoder.fixture.ts";
import { gradientErrors, kindsOf, largestNormError } from "./train-engine.fixture.ts";
import type { ContractCase } from "./train-engine.fixture.ts";

expect.extend({ toBeAllClose });

/** @returns the tests, in order. */
export function trainEngineHeads(): ContractCase[] {
  return (["qwen3", "llama"] as const).flatMap((modelType) =>
    (["full", "lora"] as const).map((trains) => ({
      title: `candidates, values and their gradients are PyTorch's (${modelType}, ${trains})`,
      body: async (engineOf, budget) => {
        const { config, weights, adapter } = readGoldenDecoder(modelType);
        const { sequences, valueHead, derivatives, outputs, gradients } =
          readGoldenHeads(modelType);
        const engine = await engineOf({
          config,
          weights,
          trains,
          valueHead,
          ...(trains === "lora" ? { adapter } : {}),
        });
        const served = engine.capabilities().outputs;
        const given: { readonly [name in "candidateLogProbs" | "values"]: TokenDerivatives } = {
          candidateLogProbs: {
            candidateLogProbs: derivatives.candidateLogProbs.map((rows) =>
              rows.map((row) => row && Float32Array.from(row)),
            ),
          },
          values: { values: derivatives.values.map((row) => Float32Array.from(row)) },
        };
        for (const output of ["candidateLogProbs", "values"] as const) {
          // the reference engine has no candidates, which only distillation needs
          if (!served.includes(output)) continue;
          const batch = {
            sequences:
              output === "values" ? sequences.map(({ tokenIds }) => ({ tokenIds })) : sequences,
            values: output === "values",
          };
          const actual = await engine.forward(batch);
          const expected = outputs[trains].map((ofSequence) => ofSequence[output]);
          expect(numbersOf(actual[output] ?? [])).toBeAllClose(numbersOf(expected), budget.outputs);
          await engine.backward(batch, given[output]);
          const trained = await engine.gradients();
          const watched = gradients(output, trains);
          expect(kindsOf(watched)).toEqual(kindsOf(trained));
          expect(gradientErrors(trained, watched, budget.gradients)).toEqual([]);
          expect(largestNormError(trained, watched)).toBeLessThan(budget.norm);
          // drops the gradients
          await engine.load(await engine.save());
        }
      },
    })),
  );
}

type Numbers = number | null | Float32Array | readonly Numbers[];

/** All numbers in order, leaving out null (tokens that were not asked for). */
function numbersOf(value: Numbers): number[] {
  if (typeof value === "number") return [value];
  if (value === null) return [];
  if (value instanceof Float32Array) return [...value];
  return value.flatMap(numbersOf);
}
