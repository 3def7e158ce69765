/** Muon's Newton–Schulz steps as an ONNX graph on an engine's device. It is loaded at its first use. */
import { OnnxGraphBuilder } from "@waggle/model";
import { type MatrixBatch, NEWTON_SCHULZ, type Orthogonalize } from "../optimizer/muon.ts";
import { OnnxGraph } from "./onnx-graph.ts";
import type { OnnxDevice } from "./onnx-device.ts";

const [INPUT, OUTPUT] = ["matrices", "orthogonal"];
const SHAPE = ["count", "rows", "columns"];

export class Orthogonalizer {
  readonly #device: OnnxDevice;
  #graph: Promise<OnnxGraph> | null = null;

  constructor(device: OnnxDevice) {
    this.#device = device;
  }

  readonly run: Orthogonalize = async ({ data, count, rows, columns }: MatrixBatch) => {
    this.#graph ??= OnnxGraph.create(newtonSchulzGraph(), this.#device);
    const graph = await this.#graph;
    const matrices = { shape: [count, rows, columns], data };
    return (await graph.run(new Map([[INPUT, matrices]]))).get(OUTPUT) as Float32Array;
  };

  async dispose(): Promise<void> {
    await (await this.#graph)?.dispose();
  }
}

function newtonSchulzGraph(): Uint8Array {
  const { a, b, c, steps } = NEWTON_SCHULZ;
  const graph = new OnnxGraphBuilder();
  const factor = (name: string, value: number): string =>
    graph.initializer(name, "f32", [1], Float32Array.of(value));
  const [first, third, fifth] = [factor("a", a), factor("b", b), factor("c", c)];
  let x = graph.input(INPUT, "f32", SHAPE);
  for (let step = 0; step < steps; step += 1) {
    const turned = graph.op("Transpose", [x], { attributes: { perm: { ints: [0, 2, 1] } } });
    const square = graph.op("MatMul", [x, turned]);
    const polynomial = graph.op("Add", [
      graph.op("Mul", [square, third]),
      graph.op("Mul", [graph.op("MatMul", [square, square]), fifth]),
    ]);
    const [next] = graph.node(
      "Add",
      [graph.op("Mul", [x, first]), graph.op("MatMul", [polynomial, x])],
      step + 1 === steps ? { outputs: [OUTPUT] } : {},
    );
    x = next as string;
  }
  graph.output(x, "f32", SHAPE);
  return graph.build();
}
