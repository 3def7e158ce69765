/** A graph as a node's attribute, such as a branch of an `If`. */
import type { OnnxGraphBuilder } from "./onnx-graph-builder.ts";
import type { OnnxSubgraph, OnnxValueInfo } from "./onnx-wire.ts";

/**
 * Collects the nodes that `build` adds to the graph.
 *
 * @param build - returns the branch's outputs, which its own nodes must produce.
 */
export function subgraphOf(
  graph: OnnxGraphBuilder,
  build: () => readonly OnnxValueInfo[],
): OnnxSubgraph {
  const outer = graph.nodes;
  graph.nodes = [];
  try {
    const outputs = build();
    return { nodes: graph.nodes, outputs };
  } finally {
    graph.nodes = outer;
  }
}
