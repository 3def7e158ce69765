import { OnnxGraphBuilder } from "@waggle/model";
import type { Tensor } from "@waggle/protocol";
import { expect, onTestFinished, test } from "vitest";
import { GradientScale } from "./gradient-scale.ts";
import { MatrixProducts } from "../graphs/matrix-products.ts";
import { openOnnxDevice } from "../onnx/onnx-device.ts";
import { OnnxGraph } from "../onnx/onnx-graph.ts";

const row = (...data: number[]): Tensor => ({ shape: [1, 2], data: Float32Array.from(data) });

/** gradient `[1, 2]` · weight `[2, 2]` + carried, in f16. Also returns the input as it was fed. */
async function openProduct(): Promise<OnnxGraph> {
  const builder = new OnnxGraphBuilder();
  for (const name of ["gradient", "carried"]) builder.input(name, "f32", [1, 2]);
  builder.input("weight", "f32", [2, 2]);
  const products = new MatrixProducts(builder, "rounded");
  products.product("gradient", "weight", { addend: "carried", output: "sum" });
  builder.node("Identity", ["gradient"], { outputs: ["fed"] });
  for (const name of ["sum", "fed"]) builder.output(name, "f32", [1, 2]);
  const graph = await OnnxGraph.create(builder.build(), await openOnnxDevice("cpu", 1));
  onTestFinished(() => graph.dispose());
  return graph;
}

const others = new Set(["fed"]);
const weight = (size: number): Tensor => ({
  shape: [2, 2],
  data: Float32Array.of(size, 0, 0, 2 * size),
});
const carried: readonly (readonly [string, Tensor])[] = [["carried", row(0, 0)]];

test("derivatives below float16's smallest number survive, and would not without a scale", async () => {
  const graph = await openProduct();
  const scale = new GradientScale("rounded");
  const feeds = new Map([["weight", weight(1)]]);
  const derivatives = new Map([["gradient", row(3e-12, 4e-12)]]);
  const outputs = await scale.run(graph, { feeds, derivatives, carried, others });
  const [first = 0, second = 0] = outputs.get("sum") ?? [];
  expect(first / 3e-12).toBeCloseTo(1, 3);
  expect(second / 8e-12).toBeCloseTo(1, 3);
  expect(scale.overflows).toBe(0);
  const plain = new GradientScale("f32");
  const lost = await plain.run(graph, { feeds, derivatives, carried, others });
  expect([...(lost.get("sum") ?? [])]).toEqual([0, 0]);
});

test("carried gradients are scaled alike, other outputs are not rescaled", async () => {
  const graph = await openProduct();
  const scale = new GradientScale("rounded");
  const outputs = await scale.run(graph, {
    feeds: new Map([["weight", weight(1)]]),
    derivatives: new Map([["gradient", row(0.5, 0.25)]]),
    carried: [["carried", row(100, -3)]],
    others,
  });
  expect([...(outputs.get("sum") ?? [])]).toEqual([100.5, -2.5]);
  // 0.5 times the run's scale, a power of two
  expect(Math.log2(outputs.get("fed")?.[0] ?? 0) % 1).toBe(0);
  expect(outputs.get("fed")?.[0]).toBe(16);
});

test("after an overflow the run is repeated at a smaller scale, which stays until the next step", async () => {
  const graph = await openProduct();
  const scale = new GradientScale("rounded");
  const derivatives = new Map([["gradient", row(1, 1)]]);
  const run = (size: number) =>
    scale.run(graph, { feeds: new Map([["weight", weight(size)]]), derivatives, carried, others });
  const outputs = await run(4096);
  expect([...(outputs.get("sum") ?? [])]).toEqual([4096, 8192]);
  expect(scale.overflows).toBe(1);
  await run(4096);
  expect(scale.overflows).toBe(1);
  scale.reset();
  expect(scale.overflows).toBe(0);
  await run(4096);
  expect(scale.overflows).toBe(1);
});

test("a gradient that overflows at every scale stays infinite, so that the step refuses it", async () => {
  const graph = await openProduct();
  const scale = new GradientScale("rounded");
  const outputs = await scale.run(graph, {
    feeds: new Map([["weight", weight(1e6)]]),
    derivatives: new Map([["gradient", row(1, 1)]]),
    carried,
    others,
  });
  expect([...(outputs.get("sum") ?? [])]).toEqual([Infinity, Infinity]);
  expect(scale.overflows).toBe(3);
});
