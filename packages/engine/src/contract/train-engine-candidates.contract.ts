/**
 * The TrainEngine contract: log-probs of candidates, for distillation from a teacher's top tokens. An
 * engine without them must refuse.
 */
import { mergeAdapter } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import type { TensorMap, TrainSequence } from "@waggle/protocol";
import { toBeAllClose } from "@waggle/testing";
import { plainOutputs } from "@waggle/testing/plain-decoder";
import { expect } from "vitest";
import {
  TINY,
  TINY_LLAMA,
  centralDifference,
  codeOf,
  loudEngine,
  variedSequences,
} from "./train-engine.fixture.ts";
import type { ContractCase } from "./train-engine.fixture.ts";

expect.extend({ toBeAllClose });

/** Per sequence and token. */
type Candidates<T> = readonly (readonly (T | null)[])[];

/** @returns the tests, in order. */
export function trainEngineCandidates(): ContractCase[] {
  return [TINY, TINY_LLAMA].flatMap((config) =>
    (["full", "lora"] as const).map((trains) => ({
      title: `candidate log-probs and their gradients are the plain twin's (${config.modelType}, ${trains})`,
      body: async (engineOf, budget) => {
        const { engine, weights, adapter } = await loudEngine(engineOf, config, trains);
        const sequences = withCandidates(config);
        if (!engine.capabilities().outputs.includes("candidateLogProbs")) {
          expect(await codeOf(engine.forward({ sequences }))).toBe("CAPABILITY_MISSING");
          return;
        }
        const effective = (): TensorMap =>
          trains === "lora" ? mergeAdapter(config, weights, adapter) : weights;
        const expected = plainCandidates(config, effective(), sequences);
        const { candidateLogProbs = [] } = await engine.forward({ sequences });
        expect(present(candidateLogProbs)).toEqual(present(expected));
        expect(flat(candidateLogProbs)).toBeAllClose(flat(expected), budget.outputs);

        const derivatives = expected.map((rows) =>
          rows.map(
            (row, token) => row && Float32Array.from(row, (_, i) => Math.sin(3 * token + i)),
          ),
        );
        await engine.backward({ sequences }, { candidateLogProbs: derivatives });
        const gradients = await engine.gradients();
        const factors = flat(derivatives);
        const errors = new Map<string, number>();
        for (const [key, tensor] of trains === "lora" ? adapter.tensors : weights) {
          const gradient = gradients.get(key)?.data ?? new Float32Array();
          const largest = Math.max(...gradient.map(Math.abs));
          const index = gradient.findIndex((value) => Math.abs(value) === largest);
          const difference = centralDifference(tensor.data, index, () =>
            flat(plainCandidates(config, effective(), sequences)).reduce(
              (sum, value, i) => sum + value * (factors[i] as number),
              0,
            ),
          );
          errors.set(key, Math.abs((gradient[index] as number) / difference - 1));
        }
        expect([...errors].filter(([, error]) => !(error < budget.difference))).toEqual([]);
      },
    })),
  );
}

/** Adds candidates beside temperatures and kept sets. Some equal the taken token, some occur twice. */
function withCandidates(config: DecoderConfig): TrainSequence[] {
  return variedSequences(config).map((sequence) => ({
    ...sequence,
    candidateTokenIds: sequence.tokenIds.map((id, token) =>
      token % 3 === 2 ? null : [id, (id + token) % config.vocabularySize, 3, 3],
    ),
  }));
}

function plainCandidates(
  config: DecoderConfig,
  weights: TensorMap,
  sequences: readonly TrainSequence[],
): Candidates<readonly number[]> {
  return sequences.map((sequence) => plainOutputs(config, weights, sequence).candidateLogProbs);
}

function present(candidates: Candidates<unknown>): boolean[][] {
  return candidates.map((rows) => rows.map((row) => row !== null));
}

function flat(candidates: Candidates<Iterable<number>>): number[] {
  return candidates.flatMap((rows) => rows.flatMap((row) => [...(row ?? [])]));
}
