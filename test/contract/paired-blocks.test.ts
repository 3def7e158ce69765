/** The paired comparison on machines whose speed varies in ways that must not affect it. */
import { expect, test } from "vitest";
import { compareRounds } from "../../packages/runtime/bench/paired-blocks.ts";
import type { PairedBlocks } from "../../packages/runtime/bench/paired-blocks.ts";

const LIMITS = { warmUp: 1, least: 40, most: 40, uncertainty: 0 };

/** Rounds of 8 pairs. A takes `ratio` times as long as B, and each block has its own `slowness`. */
function rounds(ratio: number, slowness: (block: number) => number): () => Promise<PairedBlocks[]> {
  let block = 0;
  const took = (ms: number): number => ms * slowness(block++);
  const pair = (): PairedBlocks => [took(ratio), took(1), took(1), took(ratio)];
  return () => Promise.resolve(Array.from({ length: 8 }, pair));
}

test.each([
  ["steady", () => 1],
  ["ever slower", (block: number) => 1 + block / 100],
  ["fast and slow by phases", (block: number) => (Math.sin(block / 40) > 0 ? 3 : 1)],
  ["interrupted every seventh block", (block: number) => (block % 7 === 3 ? 20 : 1)],
])("on a machine that is %s the ratio is measured correctly", async (_, slowness) => {
  const compared = await compareRounds(LIMITS, 8, rounds(1.04, slowness));
  expect(compared.ratio).toBeCloseTo(1.04, 2);
  expect(compared.interval[0]).toBeLessThanOrEqual(compared.ratio);
  expect(compared.interval[1]).toBeGreaterThanOrEqual(compared.ratio);
  expect(compared.pairs).toBe(320);
});

test("control: a slowdown of one side only is visible", async () => {
  const isFirst = (block: number): boolean => block % 4 === 0 || block % 4 === 3;
  const { ratio } = await compareRounds(
    LIMITS,
    8,
    rounds(1, (block) => (isFirst(block) ? 1.05 : 1)),
  );
  expect(ratio).toBeCloseTo(1.05, 6);
});

test("rounds end when the ratio is precise enough, and warm-up rounds do not count", async () => {
  let count = 0;
  const round = (): Promise<PairedBlocks[]> =>
    Promise.resolve([count++ < 2 ? [9, 1, 1, 9] : [2, 2, 2, 2]]);
  const limits = { warmUp: 2, least: 6, most: 100, uncertainty: 0.01 };
  const compared = await compareRounds(limits, 1, round);
  expect(compared).toMatchObject({ ratio: 1, interval: [1, 1], first: 2, second: 2, pairs: 6 });
});
