import { InferenceSession, Tensor } from "onnxruntime-node";
import { expect, test } from "vitest";
import { OnnxGraphBuilder } from "./onnx-graph-builder.ts";
import { subgraphOf } from "./onnx-subgraph.ts";

test("a built graph runs with inputs, initializers, attributes of every kind and named sizes", async () => {
  const graph = new OnnxGraphBuilder();
  const x = graph.input("x", "f32", ["rows", 2]);
  const weight = graph.initializer("weight", "f32", [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6));
  const product = graph.op("MatMul", [x, weight]);
  const swapped = graph.op("Transpose", [product], { attributes: { perm: { ints: [1, 0] } } });
  const leaky = graph.op("LeakyRelu", [swapped], { attributes: { alpha: { float: 2 } } });
  const [sum] = graph.node("ReduceSum", [leaky, graph.ints([-1])], {
    outputs: ["sum"],
    attributes: { keepdims: 0 },
  });
  const ids = graph.op("Cast", [sum as string], { attributes: { to: 7 } });
  const flag = graph.op("Greater", [ids, graph.ints(0)]);
  graph.output("sum", "f32", [3]);
  graph.output(flag, "bool", [3]);
  const session = await InferenceSession.create(graph.build());
  const feed = { x: new Tensor("float32", Float32Array.of(1, 1, -1, -1, 1, 0), [3, 2]) };
  const results = await session.run(feed);
  // rows of x·W: (5,7,9), (-5,-7,-9), (1,2,3); negative ones doubled by the slope 2
  expect([...(results["sum"]!.data as Float32Array)]).toEqual([-4, -5, -6]);
  expect([...(results[flag]!.data as Uint8Array)]).toEqual([0, 0, 0]);
});

test("an If runs the nodes of one branch, which can read outer tensors", async () => {
  const graph = new OnnxGraphBuilder();
  const x = graph.input("x", "f32", [2]);
  const flag = graph.op("Cast", [graph.input("flag", "i32", [1])], { attributes: { to: 9 } });
  const way = (opType: string) => ({
    graph: subgraphOf(graph, () => {
      const name = graph.op(opType, [x]);
      return [{ name, dtype: "f32" as const, dims: [2] }];
    }),
  });
  const attributes = { then_branch: way("Neg"), else_branch: way("Exp") };
  const y = graph.op("If", [flag], { attributes });
  graph.output(y, "f32", [2]);
  const session = await InferenceSession.create(graph.build());
  const run = async (condition: number): Promise<number[]> => {
    const results = await session.run({
      x: new Tensor("float32", Float32Array.of(0, 1), [2]),
      flag: new Tensor("int32", Int32Array.of(condition), [1]),
    });
    return [...(results[y]!.data as Float32Array)];
  };
  expect(await run(1)).toEqual([-0, -1]);
  expect(await run(0)).toEqual([1, Math.fround(Math.E)]);
});

test("a taken, unknown or empty name is refused", () => {
  const graph = new OnnxGraphBuilder();
  graph.input("x", "f32", [1]);
  expect(() => graph.input("x", "f32", [1])).toThrow(/there is already a tensor "x"/);
  expect(() => graph.node("Neg", ["y"])).toThrow(/"y" does not exist/);
  expect(() => graph.output("y", "f32", [1])).toThrow(/"y" does not exist/);
});

test("data that does not fill its shape or has another type is refused", () => {
  const graph = new OnnxGraphBuilder();
  expect(() => graph.initializer("a", "f32", [3], Float32Array.of(1))).toThrow(/3 elements/);
  expect(() => graph.initializer("a", "i32", [1], Float32Array.of(1))).toThrow(/of i32/);
});

test("equal constants share one tensor", () => {
  const graph = new OnnxGraphBuilder();
  expect(graph.ints([1, 2])).toBe(graph.ints([1, 2]));
  expect(graph.ints(1)).not.toBe(graph.ints([1]));
});
