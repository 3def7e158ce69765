import { OnnxGraphBuilder } from "@waggle/model";
import type { Tensor } from "@waggle/protocol";
import { expect, test } from "vitest";
import { attentionBlocks, causalView, treeView } from "../batch/attention-view.ts";
import type { QueryBlock } from "../batch/attention-view.ts";
import { attentionInputs, causalAttention, nameIn } from "./causal-attention.ts";
import { GraphTape } from "./graph-tape.ts";
import { openOnnxDevice } from "../onnx/onnx-device.ts";
import { OnnxGraph } from "../onnx/onnx-graph.ts";
import type { IntegerTensor } from "../onnx-tensor.ts";

const SIZES = { batch: 2, length: 13, heads: 4, keyValueHeads: 2, headSize: 6 };
const INPUTS = { queries: SIZES.heads, keys: SIZES.keyValueHeads, values: SIZES.keyValueHeads };
const NAMES = ["queries", "keys", "values"] as const;

function noise(seed: number, shape: readonly number[]): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  return { shape, data: Float32Array.from({ length: count }, (_, i) => Math.sin(seed + i * 1.7)) };
}

const shapeOf = (heads: number): number[] => [SIZES.batch, heads, SIZES.length, SIZES.headSize];

/** Attention and its three gradients, with queries in the blocks of a view. */
async function attend(blocks: readonly QueryBlock[]): Promise<ReadonlyMap<string, Float32Array>> {
  const builder = new OnnxGraphBuilder();
  const tape = new GraphTape(builder, {
    savesNormScale: true,
    hasAllKernels: true,
    products: "f32",
  });
  const feeds = new Map<string, Tensor | IntegerTensor>();
  NAMES.forEach((name, index) => {
    tape.track(builder.input(name, "f32", shapeOf(INPUTS[name])));
    feeds.set(name, noise(index, shapeOf(INPUTS[name])));
  });
  builder.input("gradient", "f32", shapeOf(SIZES.heads));
  feeds.set("gradient", noise(9, shapeOf(SIZES.heads)));
  for (const [block, { mask }] of blocks.entries()) {
    builder.input(nameIn(block)("mask"), "f32", mask.shape);
    feeds.set(nameIn(block)("mask"), mask);
  }
  for (const [name, values] of Object.entries(attentionInputs(SIZES, blocks))) {
    builder.input(name, "i64", [values.length]);
    feeds.set(name, { shape: [values.length], data: BigInt64Array.from(values, BigInt) });
  }
  const output = causalAttention(tape, ...NAMES, { scale: 0.4, blocks: blocks.length });
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

const causal = (blocks: number): QueryBlock[] => causalView(SIZES.length, blocks);

test.each([2, 3, 4])(
  "queries in %i blocks of unequal length give the outputs and gradients of a single block",
  async (blocks) => {
    expect(largestGap(await attend(causal(blocks)), await attend(causal(1)))).toBeLessThan(1e-5);
  },
);

test("control: a token that attends to the next one is detected", async () => {
  const peeking = causal(4);
  for (const { mask } of peeking.slice(1, 2)) mask.data.fill(0);
  expect(largestGap(await attend(peeking), await attend(causal(1)))).toBeGreaterThan(1e-2);
});

/** A tree with two branches, and three sequences in one row with padding at the end. */
const PACKED = Int32Array.from([
  -1, 0, 1, 2, 3, 2, 5, 6, 7, 3, 9, 10, 11, -1, 0, 1, 2, -1, 4, 5, 6, -1, 8, 9, 10, -1,
]);

test.each([2, 3, 4])(
  "packed rows in %i blocks give the outputs and gradients of a single block",
  async (blocks) => {
    const [cut, whole] = [blocks, 1].map((count) => treeView(PACKED, SIZES.length, count));
    const gap = largestGap(await attend(cut ?? []), await attend(whole ?? []));
    expect(gap).toBeLessThan(1e-5);
  },
);

test("a plain sequence as a tree gives the same outputs and gradients", async () => {
  const chain = PACKED.map((_, place) => (place % SIZES.length) - 1);
  expect(treeView(chain, SIZES.length, 4).map(({ first }) => first)).toEqual([0, 0, 0, 0]);
  const tree = await attend(treeView(chain, SIZES.length, 4));
  expect(largestGap(tree, await attend(causal(4)))).toBeLessThan(1e-6);
});

test("keys that no query of a block attends to are left out", () => {
  const chains = (length: number): Int32Array =>
    Int32Array.from({ length: 400 }, (_, place) => (place % length === 0 ? -1 : place - 1));
  const ranges = (parents: Int32Array) =>
    treeView(parents, 400, 4).map(({ first, end }) => [first, end]);
  expect(ranges(chains(400))).toEqual([
    [0, 100],
    [0, 200],
    [0, 300],
    [0, 400],
  ]);
  expect(ranges(chains(100))).toEqual([
    [0, 100],
    [100, 200],
    [200, 300],
    [300, 400],
  ]);
  expect(ranges(chains(80))).toEqual([
    [0, 100],
    [80, 200],
    [160, 300],
    [240, 400],
  ]);
});

test("short sequences form a single block", () => {
  const lengths = [1, 127, 128, 191, 192, 4096];
  expect(lengths.map((length) => attentionBlocks(length, "cpu"))).toEqual([1, 1, 1, 1, 4, 4]);
  expect(lengths.map((length) => attentionBlocks(length, "wasm"))).toEqual([1, 1, 4, 4, 4, 4]);
});
