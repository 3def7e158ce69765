import type { DecoderConfig } from "@waggle/model";
import { expect, test } from "vitest";
import { GOLDEN_TYPES, goldenGap } from "./golden.ts";
import { graphLogits, openGolden, readGolden } from "./golden-files.ts";
import { largestDifference } from "./graph-runner.ts";

for (const modelType of GOLDEN_TYPES) {
  for (const name of ["plain", "lora"] as const) {
    test(`the inference graph of ${modelType} gives PyTorch's logits (${name})`, async () => {
      const golden = await readGolden(modelType);
      const { sequences } = golden.cases[name];
      const adapter = name === "lora" ? golden.adapter : null;
      const ids = sequences.map(({ tokenIds }) => tokenIds);
      const logits = await graphLogits(golden, ids, adapter);
      expect(logits.length).toBe(2);
      expect(goldenGap(golden.cases[name], logits)).toBeLessThan(1e-4);
    });
  }

  test(`the adapter changes the golden logits of ${modelType}`, async () => {
    const { full, lora } = (await readGolden(modelType)).cases;
    expect(lora.sequences).toEqual(full.sequences);
    expect(
      largestDifference(full.logits[0]!.values[3]!, lora.logits[0]!.values[3]!),
    ).toBeGreaterThan(0.5);
  });

  test(`a ${modelType} graph gives the same logits in chunks, token by token and in a batch`, async () => {
    const golden = await readGolden(modelType);
    const [long, short] = golden.cases.plain.sequences.map(({ tokenIds }) => tokenIds);
    const runner = await openGolden(golden, { lora: null });
    const [whole] = await runner.logits([long!]);
    const flat = (rows: Float32Array[]): number[] => rows.flatMap((row) => [...row]);
    const gap = (rows: Float32Array[] | undefined): number =>
      largestDifference(flat(rows!), flat(whole!));
    expect(gap((await runner.logits([long!], [17, 1, 1, 2, 20]))[0])).toBeLessThan(1e-4);
    expect(gap((await runner.logits([long!], Array<number>(41).fill(1)))[0])).toBeLessThan(1e-4);
    // After a padded prefill each row continues from its own end.
    const rows = [long!, [...short!, ...long!].slice(0, 35)];
    const [first, second] = await runner.raggedLogits(rows, [30, 24]);
    expect(gap(first)).toBeLessThan(1e-4);
    const [alone] = await runner.logits([rows[1]!]);
    expect(largestDifference(flat(second!), flat(alone!))).toBeLessThan(1e-4);
    await runner.release();
  });
}

/** Changes that would go unnoticed if the golden values did not depend on them. */
const controls: [(typeof GOLDEN_TYPES)[number], string, Partial<DecoderConfig>][] = [
  ["gemma3_text", "a wider window", { slidingWindow: 9 }],
  ["gemma3_text", "a narrower window", { slidingWindow: 7 }],
  ["gemma3_text", "one theta for all layers", { localRopeTheta: 1_000_000 }],
  ["gemma3_text", "unscaled positions", { ropeScaling: null }],
  ["gemma3_text", "the usual scale of scores", { queryScalar: 32 }],
  ["smollm3", "positions in every layer", { layerKinds: Array(4).fill("attention") }],
];
test.each(controls)("control: %s with %s is not PyTorch's", async (modelType, _, change) => {
  const golden = await readGolden(modelType);
  const ids = golden.cases.plain.sequences.map(({ tokenIds }) => tokenIds);
  const changed = { ...golden, config: { ...golden.config, ...change } };
  expect(goldenGap(golden.cases.plain, await graphLogits(changed, ids, null))).toBeGreaterThan(0.1);
});
