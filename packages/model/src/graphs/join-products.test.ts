import { InferenceSession, Tensor } from "onnxruntime-node";
import { expect, test } from "vitest";
import { joinProducts } from "./join-products.ts";
import { OnnxGraphBuilder } from "../onnx/onnx-graph-builder.ts";

const WIDTH = 5;

/**
 * x times three constants of different width, a product of a product, and a product with an input.
 */
function productGraph(): OnnxGraphBuilder {
  const graph = new OnnxGraphBuilder();
  const x = graph.input("x", "f32", ["rows", WIDTH]);
  const fed = graph.input("fed", "f32", [WIDTH, 2]);
  const matrix = (name: string, rows: number, columns: number): string => {
    const data = Float32Array.from({ length: rows * columns }, (_, i) => ((i * 5) % 13) / 13 - 0.5);
    return graph.initializer(name, "f32", [rows, columns], data);
  };
  const product = (of: string, by: string, output: string): string =>
    graph.node("MatMul", [of, by], { outputs: [output] })[0] as string;
  const first = product(x, matrix("a", WIDTH, 3), "first");
  product(x, fed, "byFed");
  product(first, matrix("b", 3, 4), "second");
  product(x, matrix("c", WIDTH, 1), "third");
  product(x, matrix("d", WIDTH, 7), "fourth");
  for (const [name, columns] of Object.entries({ second: 4, byFed: 2, third: 1, fourth: 7 })) {
    graph.output(name, "f32", ["rows", columns]);
  }
  return graph;
}

async function outputsOf(graph: OnnxGraphBuilder, rows: number): Promise<unknown> {
  const session = await InferenceSession.create(graph.build());
  const numbers = (count: number): Float32Array =>
    Float32Array.from({ length: count }, (_, i) => ((i * 7) % 11) / 11 - 0.4);
  const results = await session.run({
    x: new Tensor("float32", numbers(rows * WIDTH), [rows, WIDTH]),
    fed: new Tensor("float32", numbers(WIDTH * 2), [WIDTH, 2]),
  });
  await session.release();
  return Object.fromEntries(
    Object.entries(results).map(([name, { data, dims }]) => [name, { data, dims }]),
  );
}

test("products of one tensor with constants are joined, and no number changes", async () => {
  const joined = productGraph();
  joinProducts(joined);
  expect(joined.nodes.map(({ opType, inputs }) => `${opType} ${inputs[0]}`)).toEqual([
    "MatMul x",
    "Split a.joined.product",
    "MatMul x",
    "MatMul first",
  ]);
  expect(joined.initializers.map(({ name, shape }) => [name, shape])).toEqual(
    expect.arrayContaining([
      ["b", [3, 4]],
      ["a.joined", [WIDTH, 11]],
    ]),
  );
  expect(joined.initializers.some(({ name }) => name === "c")).toBe(false);
  for (const rows of [1, 3]) {
    expect(await outputsOf(joined, rows)).toEqual(await outputsOf(productGraph(), rows));
  }
});

test("a matrix that another node reads is not joined", () => {
  const graph = productGraph();
  graph.node("Transpose", ["c"], { outputs: ["turned"] });
  graph.output("turned", "f32", [1, WIDTH]);
  joinProducts(graph);
  expect(graph.initializers.map(({ name }) => name)).toContain("c");
  expect(() => graph.build()).not.toThrow();
});
