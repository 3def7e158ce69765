import { expect, test } from "vitest";
import { initializeDecoder } from "../decoder/decoder-parameters.ts";
import { residentSource } from "./resident-source.ts";
import { readDecoderWeights } from "./resident-weights.ts";
import { residentNumbers } from "./rounded-weights.ts";
import { tensorMapSource } from "../files/tensor-source.ts";
import { UNEVEN_CONFIG } from "../decoder/uneven-decoder.fixture.ts";
import { readRows } from "./weight-reader.ts";

const WEIGHTS = initializeDecoder(UNEVEN_CONFIG, 3);

test.each(["f16", "int8", "int4"] as const)(
  "a source over %s yields the numbers that training computes with, whole and in slices",
  async (format) => {
    const expected = residentNumbers(UNEVEN_CONFIG, WEIGHTS, format);
    const source = residentSource(UNEVEN_CONFIG, tensorMapSource(WEIGHTS), format);
    expect(await readDecoderWeights(UNEVEN_CONFIG, source)).toEqual(expected);
    for (const [name, { shape, data }] of expected) {
      const [rows = 1] = shape;
      const numbers: number[] = [];
      for (let begin = 0; begin < rows; begin += 2) {
        const slice = await source.read(name, { begin, end: Math.min(rows, begin + 2) });
        numbers.push(...slice.data);
      }
      expect(numbers).toEqual([...data]);
      const bytes = await source.readBytes(name);
      expect([...new Float32Array(bytes.slice().buffer)]).toEqual([...data]);
    }
    expect(expected).not.toEqual(WEIGHTS);
  },
);

test("in float32 the source is unchanged", () => {
  const source = tensorMapSource(WEIGHTS);
  expect(residentSource(UNEVEN_CONFIG, source, "f32")).toBe(source);
});

test("a decoder is found under the names that larger models store it", async () => {
  const renamed = new Map(
    Array.from(WEIGHTS, ([name, tensor]) => [
      name.replace(/^model\./, "language_model.model."),
      tensor,
    ]),
  );
  const [parameter = ""] = WEIGHTS.keys();
  for (const format of ["f16", "int8"] as const) {
    const source = residentSource(UNEVEN_CONFIG, tensorMapSource(renamed), format);
    const shape = WEIGHTS.get(parameter)?.shape ?? [];
    const expected = residentNumbers(UNEVEN_CONFIG, WEIGHTS, format).get(parameter);
    for await (const { begin, data } of readRows(source, { name: parameter, shape })) {
      expect([begin, data]).toEqual([0, expected?.data]);
    }
  }
});
