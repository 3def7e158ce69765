/**
 * Joins matrix products of one input, which is faster for single tokens on onnxruntime's CPU
 * provider (docs/evidence/appendix/runtime.md). No number changes: each column depends only on its
 * own weights.
 */
import { namesReadBy } from "../onnx/onnx-graph-builder.ts";
import type { OnnxGraphBuilder } from "../onnx/onnx-graph-builder.ts";
import type { OnnxInitializer, OnnxNode } from "../onnx/onnx-wire.ts";

type Product = { readonly node: OnnxNode; readonly matrix: OnnxInitializer };

/**
 * If several MatMul nodes multiply one tensor with f32 constants that no other node reads,
 * concatenates the constants and replaces the nodes by one MatMul and a Split. Output names stay
 * the same.
 */
export function joinProducts(graph: OnnxGraphBuilder): void {
  const constants = new Map(graph.initializers.map((each) => [each.name, each]));
  const reads = new Map<string, number>();
  for (const node of graph.nodes) {
    for (const name of namesReadBy(node)) reads.set(name, (reads.get(name) ?? 0) + 1);
  }
  const products = new Map<string, Product[]>();
  for (const node of graph.nodes) {
    const [input, constant] = node.inputs as [string, string];
    const matrix = constants.get(constant);
    if (node.opType !== "MatMul" || matrix?.dtype !== "f32" || matrix.shape.length !== 2) continue;
    if (reads.get(constant) !== 1) continue;
    const others = products.get(input);
    if (others === undefined) products.set(input, [{ node, matrix }]);
    else others.push({ node, matrix });
  }
  for (const [input, group] of products) if (group.length > 1) join(graph, input, group);
}

/**
 * @param group - in node order. The joined node takes the first one's place, where the input
 * exists.
 */
function join(graph: OnnxGraphBuilder, input: string, group: readonly Product[]): void {
  const matrices = group.map(({ matrix }) => matrix);
  const [first] = matrices as [OnnxInitializer];
  const place = graph.nodes.indexOf((group[0] as Product).node);
  const gone = new Set(group.map(({ node }) => node));
  graph.initializers.splice(0, Infinity, ...without(graph.initializers, new Set(matrices)));
  const name = graph.initializer(`${first.name}.joined`, "f32", ...sideBySide(matrices));
  const product = `${name}.product`;
  const sizes = graph.ints(matrices.map(({ shape }) => shape[1] as number));
  const joined: OnnxNode[] = [
    { opType: "MatMul", inputs: [input, name], outputs: [product], domain: "", attributes: [] },
    {
      opType: "Split",
      inputs: [product, sizes],
      outputs: group.flatMap(({ node }) => node.outputs),
      domain: "",
      attributes: [["axis", -1]],
    },
  ];
  const { nodes } = graph;
  graph.nodes = [...nodes.slice(0, place), ...joined, ...without(nodes.slice(place), gone)];
}

function without<T>(all: readonly T[], gone: ReadonlySet<T>): T[] {
  return all.filter((each) => !gone.has(each));
}

/** @param matrices - `[in, out]`, of one input size. */
function sideBySide(matrices: readonly OnnxInitializer[]): [number[], Float32Array] {
  const [rows = 0] = matrices[0]?.shape ?? [];
  const width = matrices.reduce((sum, { shape }) => sum + (shape[1] as number), 0);
  const joined = new Float32Array(rows * width);
  let column = 0;
  for (const { shape, data } of matrices) {
    const columns = shape[1] as number;
    for (let row = 0; row < rows; row++) {
      const values = (data as Float32Array).subarray(row * columns, (row + 1) * columns);
      joined.set(values, row * width + column);
    }
    column += columns;
  }
  return [[rows, width], joined];
}
