/** A sample of `npm run test:fuzz`: random inputs to every decoder of untrusted files. */
import { seededRandom, WaggleError } from "@waggle/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import { decodeOne, DECODERS } from "../../scripts/testing/fuzz/decoders.ts";
import { mutatedBytes, mutatedJson, mutatedText } from "../../scripts/testing/fuzz/mutation.ts";
import { SchemaSampler } from "../../scripts/testing/fuzz/schema-sample.ts";
import { sampleSize } from "../fixtures/long.ts";

test.each(DECODERS.map((target) => [target.name, target] as const))(
  "the decoder of %s decodes or refuses random inputs",
  async (_, target) => {
    // Libraries print warnings about odd files.
    const warnings = vi.spyOn(console, "warn").mockImplementation(() => {});
    onTestFinished(() => warnings.mockRestore());
    const defects: string[] = [];
    for (let index = 0; index < sampleSize(100, 20_000); index += 1) {
      const what = await decodeOne(target, 7, index);
      if (what !== null) defects.push(`${index}: ${what}`);
    }
    expect(defects).toEqual([]);
  },
  sampleSize(60_000, 600_000),
);

test("an input that a decoder refuses is no defect, and one that it stumbles over is", async () => {
  const of = (run: () => unknown) => decodeOne({ name: "test", run }, 1, 1);
  expect(await of(() => 1)).toBeNull();
  expect(
    await of(() => {
      throw new WaggleError("MODEL_CORRUPT", "not a model");
    }),
  ).toBeNull();
  expect(await of(() => (null as unknown as { a: 1 }).a)).toMatch(/^TypeError: /);
});

test("equal seeds give equal inputs, and others do not", () => {
  const value = { a: [1, 2, { b: "text" }], c: null, d: { e: 0.5 } };
  const text = JSON.stringify(value);
  const inputs = (seed: number) => {
    const random = seededRandom(seed, 1);
    return Array.from({ length: 20 }, () => [
      JSON.stringify(mutatedJson(value, random)),
      mutatedText(text, random),
      mutatedBytes(new TextEncoder().encode(text), random).join(),
    ]);
  };
  expect(inputs(1)).toEqual(inputs(1));
  expect(inputs(1)).not.toEqual(inputs(2));
  const changed = inputs(1).filter(([json]) => json !== text);
  expect(changed.length).toBeGreaterThan(15);
});

test("values of a schema have its types, members and bounds", () => {
  const sampler = new SchemaSampler({ Name: { type: "string", pattern: "^[0-9a-f]{64}$" } }, [
    "f".repeat(64),
    "known",
  ]);
  const schema = {
    type: "object",
    required: ["hash", "count", "kind", "pair"],
    properties: {
      hash: { $ref: "#/components/schemas/Name" },
      count: { type: "integer", minimum: 3, maximum: 5 },
      kind: { enum: ["a", "b"] },
      pair: { type: "array", minItems: 2, maxItems: 2, items: { type: "boolean" } },
      rest: { anyOf: [{ type: "null" }, { const: 7 }] },
    },
  };
  const random = seededRandom(3);
  for (let i = 0; i < 50; i += 1) {
    expect(sampler.sample(schema, random)).toMatchObject({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      count: expect.toSatisfy((n: number) => [3, 4, 5].includes(n)) as number,
      kind: expect.stringMatching(/^[ab]$/) as string,
      pair: [expect.any(Boolean), expect.any(Boolean)],
    });
  }
});
