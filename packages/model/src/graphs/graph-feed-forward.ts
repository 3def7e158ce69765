/** The gated MLP of one layer: down(act(gate(x)) · up(x)). */
import { layerLinears } from "../decoder/decoder-parameters.ts";
import type { Linear } from "../decoder/decoder-parameters.ts";
import { linear } from "./graph-linear.ts";
import { MICROSOFT } from "./graph-parts.ts";
import type { GraphParts } from "./graph-parts.ts";

/** @param hidden `[B, S, C]`. @returns the output, before it is added to the residual. */
export function feedForward(parts: GraphParts, layer: number, hidden: string): string {
  const [gate, up, down] = layerLinears(parts.config, layer).slice(-3) as [Linear, Linear, Linear];
  const activated = activate(parts, linear(parts, gate, hidden));
  const product = parts.graph.op("Mul", [activated, linear(parts, up, hidden)]);
  return linear(parts, down, product);
}

function activate({ graph, architecture }: GraphParts, x: string): string {
  switch (architecture.activation) {
    case "silu":
      return graph.op("Mul", [x, graph.op("Sigmoid", [x])]);
    case "gelu-tanh":
      return graph.op("FastGelu", [x], { domain: MICROSOFT });
  }
}
