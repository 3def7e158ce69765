/** The reference in plain loops against PyTorch, before anything is compared with it. */
import { mergeAdapter, PlainDecoder } from "@waggle/model";
import { expect, test } from "vitest";
import { GOLDEN_TYPES, goldenGap } from "./golden.ts";
import { readGolden } from "./golden-files.ts";

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
}
