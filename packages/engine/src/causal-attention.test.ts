import { OnnxGraphBuilder } from "@waggle/model";
import type { Tensor } from "@waggle/protocol";
import { expect, test } from "vitest";
import { attentionBlocks, attentionInputs, causalAttention } from "./causal-attention.ts";
import { attentionMasks } from "./decoder-layer.ts";
import { GraphTape } from "./graph-tape.ts";
import { openOnnxDevice } from "./onnx-device.ts";
import { OnnxGraph } from "./onnx-graph.ts";
import type { IntegerTensor } from "./onnx-graph.ts";

const SIZES = { batch: 2, length: 13, heads: 4, keyValueHeads: 2, headSize: 6 };
const INPUTS = { queries: SIZES.heads, keys: SIZES.keyValueHeads, values: SIZES.keyValueHeads };
const NAMES = ["queries", "keys", "values"] as const;

function noise(seed: number, shape: readonly number[]): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  return { shape, data: Float32Array.from({ length: count }, (_, i) => Math.sin(seed + i * 1.7)) };
}

const shapeOf = (heads: number): number[] => [SIZES.batch, heads, SIZES.length, SIZES.headSize];

/** Attention and its three gradients, with the queries in blocks. */
async function attend(
  blocks: number,
  shift: (masks: readonly (readonly [string, Tensor])[]) => void = () => {},
): Promise<ReadonlyMap<string, Float32Array>> {
  const builder = new OnnxGraphBuilder();
  const tape = new GraphTape(builder, true);
  const feeds = new Map<string, Tensor | IntegerTensor>();
  NAMES.forEach((name, index) => {
    tape.track(builder.input(name, "f32", shapeOf(INPUTS[name])));
    feeds.set(name, noise(index, shapeOf(INPUTS[name])));
  });
  builder.input("gradient", "f32", shapeOf(SIZES.heads));
  feeds.set("gradient", noise(9, shapeOf(SIZES.heads)));
  const masks = attentionMasks(SIZES.length, blocks);
  shift(masks);
  for (const [name, mask] of masks) {
    builder.input(name, "f32", mask.shape);
    feeds.set(name, mask);
  }
  for (const [name, values] of Object.entries(attentionInputs(SIZES, blocks))) {
    builder.input(name, "i64", [values.length]);
    feeds.set(name, { shape: [values.length], data: BigInt64Array.from(values, BigInt) });
  }
  const output = causalAttention(tape, ...NAMES, { scale: 0.4, blocks });
  tape.contribute(output, () => "gradient");
  tape.backward();
  const results = [output, ...NAMES.map((name) => tape.gradient(name) as string)];
  for (const name of results) builder.output(name, "f32", ["a", "b", "c", "d"]);
  const graph = await OnnxGraph.create(builder.build(), await openOnnxDevice("cpu", 1));
  const outputs = await graph.run(feeds);
  await graph.dispose();
  return new Map(
    results.map((name, index) => [
      ["output", ...NAMES][index] as string,
      outputs.get(name) as Float32Array,
    ]),
  );
}

function largestGap(
  actual: ReadonlyMap<string, Float32Array>,
  expected: ReadonlyMap<string, Float32Array>,
): number {
  const gaps = [...expected].flatMap(([name, values]) =>
    Array.from(values, (value, i) => Math.abs(value - (actual.get(name)?.[i] ?? Number.NaN))),
  );
  expect(gaps.length).toBe(2 * 2 * 13 * 6 * (4 + 2));
  return gaps.some(Number.isNaN) ? Infinity : Math.max(...gaps);
}

test.each([2, 3, 4])(
  "queries in %i blocks of unequal length give the outputs and gradients of one",
  async (blocks) => {
    expect(largestGap(await attend(blocks), await attend(1))).toBeLessThan(1e-5);
  },
);

test("control: a token that sees the next one is noticed", async () => {
  const peeking = await attend(4, (masks) => {
    for (const [, { data }] of masks.slice(1, 2)) data.fill(0);
  });
  expect(largestGap(peeking, await attend(1))).toBeGreaterThan(1e-2);
});

test("short sequences are one block", () => {
  expect([1, 128, 192, 4096].map(attentionBlocks)).toEqual([1, 1, 4, 4]);
});
