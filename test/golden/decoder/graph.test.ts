import { expect, test } from "vitest";
import { graphLogits, largestDifference, readGolden } from "./golden.ts";

for (const modelType of ["qwen3", "llama"] as const) {
  for (const name of ["plain", "lora"] as const) {
    test(`the inference graph of ${modelType} gives PyTorch's logits (${name})`, async () => {
      const golden = readGolden(modelType);
      const { sequences, logits: expected } = golden.cases[name];
      const adapter = name === "lora" ? golden.adapter : null;
      const logits = await graphLogits(
        golden,
        sequences.map(({ tokenIds }) => tokenIds),
        adapter,
      );
      const differences = expected.flatMap(({ positions, values }, index) =>
        positions.map((position, i) => largestDifference(logits[index]![position]!, values[i]!)),
      );
      expect(differences.length).toBe(8);
      expect(Math.max(...differences)).toBeLessThan(1e-4);
    });
  }

  test(`the adapter changes the golden logits of ${modelType}`, () => {
    const { full, lora } = readGolden(modelType).cases;
    expect(lora.sequences).toEqual(full.sequences);
    expect(
      largestDifference(full.logits[0]!.values[3]!, lora.logits[0]!.values[3]!),
    ).toBeGreaterThan(0.5);
  });
}
