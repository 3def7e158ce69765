/**
 * The TrainEngine contract: trees of tokens and positions. Packing short sequences and sharing prefixes
 * must not change results. An engine without trees must refuse them.
 */
import { mergeAdapter } from "@waggle/model";
import type { TokenDerivatives, TrainEngine, TrainSequence } from "@waggle/protocol";
import { toBeAllClose } from "@waggle/testing";
import { plainOutputs } from "@waggle/testing/plain-decoder";
import { expect } from "vitest";
import {
  TINY,
  TINY_LLAMA,
  branchedSequences,
  centralDifference,
  codeOf,
  largestNormError,
  loudAdapter,
  loudEngine,
  loudWeights,
  randomDerivatives,
  servedDerivatives,
  servedOutputs,
  servedSequences,
  weightedSum,
  contractCases,
} from "./train-engine.fixture.ts";
import type { AddCase, ContractCase } from "./train-engine.fixture.ts";

expect.extend({ toBeAllClose });

/** @returns the tests, in order. */
export function trainEngineTrees(): ContractCase[] {
  return contractCases(treeCases).map(({ title, body }) => ({
    title,
    body: async (engineOf, budget) => {
      const probe = await engineOf({ config: TINY, weights: loudWeights(TINY), trains: "full" });
      if (probe.capabilities().sequences.includes("parents")) return body(engineOf, budget);
      const sequences = branchedSequences(TINY).map(({ tokenIds, parents }) => ({
        tokenIds,
        parents,
      }));
      expect(await codeOf(probe.forward({ sequences }))).toBe("CAPABILITY_MISSING");
    },
  }));
}

function treeCases(add: AddCase): void {
  for (const config of [TINY, TINY_LLAMA]) {
    add(`a tree has the plain twin's outputs (${config.modelType})`, async (engineOf, budget) => {
      const weights = loudWeights(config);
      const engine = await engineOf({ config, weights, trains: "full" });
      const sequences = servedSequences(engine, branchedSequences(config));
      const outputs = await engine.forward({ sequences });
      for (const output of servedOutputs(engine)) {
        for (const [index, sequence] of sequences.entries()) {
          const expected = plainOutputs(config, weights, sequence)[output];
          expect(outputs[output][index]).toBeAllClose(expected, budget.outputs);
        }
      }
    });

    for (const trains of ["full", "lora"] as const) {
      add(
        `the gradients of trees equal central differences of the plain twin, every tensor (${config.modelType}, ${trains})`,
        async (engineOf, budget) => {
          const { engine, weights, adapter } = await loudEngine(engineOf, config, trains);
          const sequences = servedSequences(engine, branchedSequences(config));
          const derivatives = allDerivatives(engine, sequences);
          await engine.backward({ sequences }, derivatives);
          const gradients = await engine.gradients();
          const errors = new Map<string, number>();
          for (const [key, tensor] of trains === "lora" ? adapter.tensors : weights) {
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

  add("a tree gives the results of its paths as separate sequences", async (engineOf, budget) => {
    const options = { config: TINY, weights: loudWeights(TINY), trains: "full" } as const;
    const packed = await engineOf(options);
    const trees = servedSequences(packed, branchedSequences(TINY));
    const derivatives = allDerivatives(packed, trees);
    const paths = trees.flatMap((tree, index) => pathsOf(tree).map((path) => ({ index, ...path })));
    const sequences = paths.map(({ sequence }) => sequence);
    const apart = await engineOf({ ...options, maxMicrobatchTokens: 1 });

    const [together, separate] = [
      await packed.forward({ sequences: trees }),
      await apart.forward({ sequences }),
    ];
    let compared = 0;
    for (const output of servedOutputs(packed)) {
      for (const [row, { index, tokens }] of paths.entries()) {
        const ofTree = Float32Array.from(
          tokens.slice(1),
          (token) => together[output][index]?.[token] as number,
        );
        expect(ofTree).toBeAllClose(separate[output][row]?.slice(1) ?? [], budget.arranged);
        compared += ofTree.length;
      }
    }
    expect(compared).toBeGreaterThan(50);

    await packed.backward({ sequences: trees }, derivatives);
    const ofPaths = Object.fromEntries(
      Object.entries(derivatives).map(([name, arrays]) => [
        name,
        paths.map(({ index, tokens, shared }) =>
          Float32Array.from(tokens, (token, place) =>
            place < shared ? 0 : ((arrays as Float32Array[])[index]?.[token] as number),
          ),
        ),
      ]),
    );
    await apart.backward({ sequences }, ofPaths);
    const error = largestNormError(await packed.gradients(), await apart.gradients());
    expect(error).toBeLessThan(budget.arrangedNorm);
  });

  add(
    "trees and sequences packed together do not affect each other, in any microbatches",
    async (engineOf, budget) => {
      const options = {
        config: TINY,
        weights: loudWeights(TINY),
        trains: "lora",
        adapter: loudAdapter(TINY),
      } as const;
      const one = await engineOf(options);
      const sequences = servedSequences(one, branchedSequences(TINY));
      const derivatives = allDerivatives(one, sequences);
      const expected = await one.forward({ sequences });
      await one.backward({ sequences }, derivatives);
      for (const maxMicrobatchTokens of [1, 20, 40]) {
        const several = await engineOf({ ...options, maxMicrobatchTokens });
        const outputs = await several.forward({ sequences });
        for (const output of servedOutputs(one)) {
          for (const [index, values] of expected[output].entries()) {
            expect(outputs[output][index]).toBeAllClose(values, budget.arranged);
          }
        }
        await several.backward({ sequences }, derivatives);
        const error = largestNormError(await several.gradients(), await one.gradients());
        expect(error).toBeLessThan(budget.arrangedNorm);
      }
    },
  );

  add(
    "the context limits paths, not trees, and bad trees are refused by code",
    async (engineOf) => {
      const engine = await engineOf({ config: TINY, weights: loudWeights(TINY), trains: "full" });
      const forward = (sequence: TrainSequence): Promise<unknown> =>
        codeOf(engine.forward({ sequences: [sequence] }).then(() => "served"));
      const tokenIds = Array<number>(100).fill(1);
      const comb = tokenIds.map((_, token) =>
        token < 50 ? token - 1 : token === 50 ? 3 : token - 1,
      );
      expect(await forward({ tokenIds, parents: comb })).toBe("served");
      const chain = tokenIds.map((_, token) => token - 1);
      expect(await forward({ tokenIds, parents: chain })).toBe("CONTEXT_OVERFLOW");
      const three = { tokenIds: [1, 2, 3] };
      expect(await forward({ ...three, parents: [-1, 0] })).toBe("SHAPE_MISMATCH");
      expect(await forward({ ...three, parents: [-1, 1, 0] })).toBe("INVALID_ARGUMENT");
      expect(await forward({ ...three, parents: [-1, 0.5, 0] })).toBe("INVALID_ARGUMENT");
      expect(await forward({ ...three, parents: [-2, 0, 0] })).toBe("INVALID_ARGUMENT");
      expect(await forward({ ...three, positions: [0, 1] })).toBe("SHAPE_MISMATCH");
      expect(await forward({ ...three, positions: [0, -1, 2] })).toBe("INVALID_ARGUMENT");
      expect(await forward({ ...three, positions: [0, 1, 64] })).toBe("CONTEXT_OVERFLOW");
      expect(await forward({ ...three, positions: [0, 1, 2] })).toBe("served");
    },
  );
}

/** One set of derivatives for each kind that the engine takes. */
function allDerivatives(
  engine: TrainEngine,
  sequences: readonly TrainSequence[],
): TokenDerivatives {
  return servedDerivatives(engine, {
    logProb: randomDerivatives(sequences, 31),
    rawLogProb: randomDerivatives(sequences, 32),
    entropy: randomDerivatives(sequences, 33),
  });
}

/** Paths from root to leaf. The first `shared` tokens are on an earlier path too. */
function pathsOf(tree: TrainSequence): {
  readonly sequence: TrainSequence;
  readonly tokens: readonly number[];
  readonly shared: number;
}[] {
  const parents = tree.parents ?? tree.tokenIds.map((_, token) => token - 1);
  const seen = new Set<number>();
  const paths = [];
  for (const leaf of parents.keys()) {
    if (parents.includes(leaf)) continue;
    const tokens = [leaf];
    while ((parents[tokens[0] as number] as number) >= 0) {
      tokens.unshift(parents[tokens[0] as number] as number);
    }
    const shared = tokens.filter((token) => seen.has(token)).length;
    for (const token of tokens) seen.add(token);
    const pick = <T>(values: readonly T[] | undefined): T[] | undefined =>
      values && tokens.map((token) => values[token] as T);
    const { temperatures } = tree;
    paths.push({
      sequence: {
        tokenIds: pick(tree.tokenIds) as number[],
        positions: pick(tree.positions),
        temperatures: typeof temperatures === "number" ? temperatures : pick(temperatures),
        keptTokenIds: pick(tree.keptTokenIds),
      },
      tokens,
      shared,
    });
  }
  return paths;
}
