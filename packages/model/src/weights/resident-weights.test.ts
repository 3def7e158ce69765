import { expect, test } from "vitest";
import { initializeDecoder } from "../decoder/decoder-parameters.ts";
import { fromFloat16Bits } from "./half-precision.ts";
import { dequantizeRows } from "./quantization.ts";
import { readResidentWeights } from "./resident-weights.ts";
import { residentNumbers, roundedWeights } from "./rounded-weights.ts";
import { tensorMapSource } from "../files/tensor-source.ts";
import { UNEVEN_CONFIG } from "../decoder/uneven-decoder.fixture.ts";

test.each(["int8", "int4"] as const)(
  "%s weights equal those that a quantized graph computes with",
  async (format) => {
    const weights = initializeDecoder(UNEVEN_CONFIG, 3);
    const resident = await readResidentWeights(UNEVEN_CONFIG, tensorMapSource(weights), format);
    const expected = roundedWeights(UNEVEN_CONFIG, weights, format, "f16");
    expect([...resident.keys()]).toEqual([...weights.keys()]);
    const plain = [...resident].filter(([, weight]) => !("bits" in weight));
    expect(plain).toEqual(plain.map(([name]) => [name, weights.get(name)]));
    const quantized = [...resident].flatMap(([name, weight]) =>
      "bits" in weight && weight.bits !== 16 ? [{ name, weight }] : [],
    );
    expect(quantized.length).toBe(9);
    for (const { name, weight } of quantized) {
      expect(dequantizeRows(weight, 0, weight.rows)).toEqual(expected.get(name)?.data);
      const isLinear = name.startsWith("model.layers.");
      expect(weight.bits).toBe(format === "int4" && isLinear ? 4 : 8);
    }
  },
);

test("f16 rounds matrices to the nearest float16 numbers and leaves norms alone", async () => {
  const weights = initializeDecoder(UNEVEN_CONFIG, 3);
  const resident = await readResidentWeights(UNEVEN_CONFIG, tensorMapSource(weights), "f16");
  const expected = residentNumbers(UNEVEN_CONFIG, weights, "f16");
  expect([...resident.keys()]).toEqual([...weights.keys()]);
  const plain = [...resident].filter(([, weight]) => !("bits" in weight));
  expect(plain).toEqual(plain.map(([name]) => [name, weights.get(name)]));
  const halves = [...resident].flatMap(([name, weight]) =>
    "bits" in weight && weight.bits === 16 ? [{ name, weight }] : [],
  );
  expect(halves.length).toBe(9);
  for (const { name, weight } of halves) {
    expect([weight.rows, weight.columns]).toEqual(weights.get(name)?.shape);
    expect(fromFloat16Bits(weight.values)).toEqual(expected.get(name)?.data);
    expect(expected.get(name)?.data).not.toEqual(weights.get(name)?.data);
  }
});

test("numbers beyond float16 are refused by name", async () => {
  const weights = initializeDecoder(UNEVEN_CONFIG, 3);
  const name = "model.embed_tokens.weight";
  weights.get(name)?.data.fill(65_520, 3, 4);
  await expect(
    readResidentWeights(UNEVEN_CONFIG, tensorMapSource(weights), "f16"),
  ).rejects.toMatchObject({
    code: "MODEL_UNSUPPORTED",
    message: expect.stringContaining(name) as string,
  });
});

test("f32 weights are the checkpoint's own arrays", async () => {
  const weights = initializeDecoder(UNEVEN_CONFIG, 3);
  const resident = await readResidentWeights(UNEVEN_CONFIG, tensorMapSource(weights), "f32");
  for (const [name, { data }] of weights) {
    const weight = resident.get(name);
    expect(weight !== undefined && "data" in weight && weight.data).toBe(data);
  }
});

test("a missing or non-finite weight is refused by name", async () => {
  const weights = new Map(initializeDecoder(UNEVEN_CONFIG, 3));
  weights.get("model.norm.weight")?.data.fill(Number.NaN);
  await expect(
    readResidentWeights(UNEVEN_CONFIG, tensorMapSource(weights), "int8"),
  ).rejects.toMatchObject({ code: "MODEL_CORRUPT" });
  weights.delete("model.norm.weight");
  await expect(
    readResidentWeights(UNEVEN_CONFIG, tensorMapSource(weights), "f32"),
  ).rejects.toMatchObject({
    code: "MODEL_CORRUPT",
  });
});
