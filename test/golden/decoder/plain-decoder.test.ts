/** Compares the plain-loop reference with PyTorch, before anything is compared with the reference. */
import { mergeAdapter, PlainDecoder } from "@waggle/model";
import { toBeAllClose, TOLERANCE } from "@waggle/testing";
import { plainOutputs } from "@waggle/testing/plain-decoder";
import { expect, test } from "vitest";
import { readGoldenHeads } from "../../../packages/engine/src/contract/golden-decoder.fixture.ts";
import { GOLDEN_TYPES, goldenGap } from "./golden.ts";
import { readGolden } from "./golden-files.ts";

expect.extend({ toBeAllClose });

for (const modelType of GOLDEN_TYPES) {
  for (const name of ["plain", "lora"] as const) {
    test(`the plain decoder gives PyTorch's logits of ${modelType} (${name})`, async () => {
      const { config, weights, adapter, cases } = await readGolden(modelType);
      const merged = name === "lora" ? mergeAdapter(config, weights, adapter) : weights;
      const logits = cases[name].sequences.map(({ tokenIds }) => {
        const decoder = new PlainDecoder(config, merged);
        return tokenIds.map((id) => Float32Array.from(decoder.read(id)));
      });
      expect(goldenGap(cases[name], logits)).toBeLessThan(1e-4);
    });
  }
  for (const name of ["full", "lora"] as const) {
    test(`the plain outputs of ${modelType} are PyTorch's, with temperatures and kept sets (${name})`, async () => {
      const { config, weights, adapter, cases } = await readGolden(modelType);
      const merged = name === "lora" ? mergeAdapter(config, weights, adapter) : weights;
      const { sequences, outputs: expected } = cases[name];
      for (const [index, sequence] of sequences.entries()) {
        const outputs = plainOutputs(config, merged, sequence);
        for (const output of ["logProb", "rawLogProb", "entropy", "sumSquaredProb"] as const) {
          expect(outputs[output]).toBeAllClose(expected[index]![output], TOLERANCE.f32);
        }
      }
    });
  }
}

for (const modelType of ["qwen3", "llama"] as const) {
  test(`the plain candidates and values of ${modelType} are PyTorch's`, async () => {
    const { config, weights, adapter } = await readGolden(modelType);
    const { sequences, valueHead, outputs } = readGoldenHeads(modelType);
    for (const trains of ["full", "lora"] as const) {
      const merged = trains === "lora" ? mergeAdapter(config, weights, adapter) : weights;
      for (const [index, sequence] of sequences.entries()) {
        const plain = plainOutputs(config, merged, sequence, valueHead);
        const expected = outputs[trains][index]!;
        expect(plain.values).toBeAllClose(expected.values, TOLERANCE.f32);
        const numbers = (rows: typeof plain.candidateLogProbs) => rows.flatMap((row) => row ?? []);
        const candidates = numbers(expected.candidateLogProbs);
        expect(numbers(plain.candidateLogProbs)).toBeAllClose(candidates, TOLERANCE.f32);
      }
    }
  });
}

test("branches of a tree equal the chains they are cut from, at the given positions", async () => {
  const { config, weights } = await readGolden("qwen3");
  const first = [5, 9, 33, 7];
  const second = [5, 9, 71, 2];
  const tree = plainOutputs(config, weights, {
    tokenIds: [5, 9, 33, 71, 7, 2],
    parents: [-1, 0, 1, 1, 2, 3],
  });
  const chains = [first, second].map((tokenIds) => plainOutputs(config, weights, { tokenIds }));
  expect(tree.logProb).toEqual([
    ...chains[0]!.logProb.slice(0, 3),
    chains[1]!.logProb[2],
    chains[0]!.logProb[3],
    chains[1]!.logProb[3],
  ]);
  const moved = (positions: number[]) =>
    plainOutputs(config, weights, { tokenIds: first, positions }).logProb;
  // Rotary embeddings depend only on distances.
  expect(moved([4, 5, 6, 7])).toBeAllClose(chains[0]!.logProb, TOLERANCE.f32);
  expect(moved([0, 1, 4, 5])).not.toBeAllClose(chains[0]!.logProb, TOLERANCE.f32);
});
