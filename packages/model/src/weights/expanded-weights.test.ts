import { expect, test } from "vitest";
import { convertWeights } from "./convert-weights.ts";
import { initializeDecoder } from "../decoder/decoder-parameters.ts";
import { expandedWeights } from "./expanded-weights.ts";
import { roundedWeights } from "./rounded-weights.ts";
import { tensorMapSource, toFloat32 } from "../files/tensor-source.ts";
import type { TensorDescription, TensorSource } from "../files/tensor-source.ts";
import { UNEVEN_CONFIG } from "../decoder/uneven-decoder.fixture.ts";

/** Reads in slices of two rows, as large matrices are read. */
async function readAll(source: TensorSource): Promise<Map<string, number[]>> {
  const all = new Map<string, number[]>();
  for (const name of initializeDecoder(UNEVEN_CONFIG, 3).keys()) {
    const [rows = 1] = source.tensors.get(name)?.shape ?? [];
    const numbers: number[] = [];
    for (let begin = 0; begin < rows; begin += 2) {
      const { data } = await source.read(name, { begin, end: Math.min(rows, begin + 2) });
      numbers.push(...data);
    }
    all.set(name, numbers);
  }
  return all;
}

const numbersOf = (weights: ReturnType<typeof initializeDecoder>) =>
  new Map(Array.from(weights, ([name, { data }]) => [name, [...data]]));

test.each(["int8", "int4"] as const)(
  "reading yields the dequantized numbers of %s",
  async (format) => {
    const weights = initializeDecoder(UNEVEN_CONFIG, 3);
    const expected = numbersOf(roundedWeights(UNEVEN_CONFIG, weights, format, "f32"));
    const expanded = expandedWeights(UNEVEN_CONFIG, tensorMapSource(weights), format);
    expect(await readAll(expanded)).toEqual(expected);
    expect(expected).not.toEqual(numbersOf(weights));
  },
);

test.each(["int8", "int4"] as const)("weights stored in %s are dequantized", async (format) => {
  const weights = initializeDecoder(UNEVEN_CONFIG, 3);
  const tensors = new Map<string, TensorDescription>();
  const bytes = new Map<string, Uint8Array>();
  for (const part of convertWeights(UNEVEN_CONFIG, tensorMapSource(weights), format)) {
    const converted = await part.convert();
    for (const [i, [name, description]] of [...part.tensors].entries()) {
      tensors.set(name, description);
      bytes.set(name, converted[i] as Uint8Array);
    }
  }
  const stored: TensorSource = {
    tensors,
    read: async (name) => {
      const { dtype, shape } = tensors.get(name) as TensorDescription;
      return { shape, data: toFloat32(bytes.get(name) as Uint8Array, dtype) };
    },
    readBytes: async (name) => bytes.get(name) as Uint8Array,
  };
  const expanded = expandedWeights(UNEVEN_CONFIG, stored, format);
  // Scales are stored as float16.
  const expected = numbersOf(roundedWeights(UNEVEN_CONFIG, weights, format, "f16"));
  const actual = await readAll(expanded);
  for (const [name, numbers] of actual) {
    if (name.includes("norm")) continue; // not a matrix
    expect(numbers).toEqual(expected.get(name));
  }
});
