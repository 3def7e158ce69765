/** A graph inside a node's attribute: the branch of an `If`. */
import type { OnnxGraphBuilder } from "./onnx-graph-builder.ts";
import type { OnnxSubgraph, OnnxValueInfo } from "./onnx-wire.ts";

/**
 * Collects the nodes that `build` adds to the graph.
 *
 * @param build - returns what the branch yields. All of it must be made by its own nodes.
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
