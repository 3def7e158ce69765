import { expect, test } from "vitest";
import { initializeAdapter } from "../adapters/adapter.ts";
import type { DecoderConfig } from "../decoder/decoder-config.ts";
import { initializeDecoder } from "../decoder/decoder-parameters.ts";
import { mergeAdapter, mergedWeights } from "./merged-weights.ts";
import { tensorMapSource } from "../files/tensor-source.ts";

const config: DecoderConfig = {
  modelType: "llama",
  vocabularySize: 7,
  width: 6,
  layers: 1,
  heads: 2,
  keyValueHeads: 1,
  headSize: 4,
  feedForwardSize: 10,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: false,
  contextLength: 32,
  ropeScaling: null,
};
const weights = initializeDecoder(config, 1);
const adapter = initializeAdapter(config, { rank: 3, alpha: 5, seed: 2 });
for (const [name, { data }] of adapter.tensors) {
  if (name.includes("lora_B")) data.forEach((_, i) => (data[i] = Math.sin(i + name.length)));
}

test("merging row by row equals merging all at once", async () => {
  const merged = mergeAdapter(config, weights, adapter);
  const source = mergedWeights(config, tensorMapSource(weights), adapter);
  let changed = 0;
  for (const [name, { shape, data }] of merged) {
    expect((await source.read(name)).data).toEqual(data);
    const [rows = 1] = shape;
    const byRow: number[] = [];
    for (let row = 0; row < rows; row++) {
      byRow.push(...(await source.read(name, { begin: row, end: row + 1 })).data);
    }
    expect(byRow).toEqual([...data]);
    const bytes = await source.readBytes(name, { begin: 1, end: 2 });
    const size = data.length / rows;
    expect(bytes).toEqual(new Uint8Array(data.slice(size, 2 * size).buffer));
    if (data.some((value, i) => value !== weights.get(name)?.data[i])) changed += 1;
  }
  expect(changed).toBe(7); // the linears, and nothing else
});

test("weights and adapters for another decoder are refused before anything is read", () => {
  const other = tensorMapSource(initializeDecoder({ ...config, feedForwardSize: 11 }, 1));
  expect(() => mergedWeights(config, other, adapter)).toThrow(/gate_proj.weight must have shape/);
  expect(() => mergedWeights({ ...config, layers: 2 }, other, adapter)).toThrow(/must have shape/);
});
