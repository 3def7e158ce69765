/**
 * Attention of one layer: rotation, past, causality and window are one com.microsoft
 * GroupQueryAttention node, which the CPU, WASM and WebGPU providers all run.
 */
import { layerKind } from "./decoder-config.ts";
import { layerLinears } from "./decoder-parameters.ts";
import type { Linear } from "./decoder-parameters.ts";
import { linear } from "./graph-linear.ts";
import { MICROSOFT, normalize } from "./graph-parts.ts";
import type { GraphParts } from "./graph-parts.ts";

/** Names of what tells the attention where it is. */
export type SequenceInputs = {
  /** i32 `[B]`: positions that count in each row after this run, minus one. */
  readonly lastPositions: string;
  /** i32 scalar: positions of the padded batch after this run. */
  readonly totalLength: string;
  /** f32 `[heads]`: logits of a position beside the others that has no value; `null` for none. */
  readonly sink: string | null;
};

/** @param hidden `[B, S, C]`. @returns the same, before it is added to the residual. */
export function attention(
  parts: GraphParts,
  layer: number,
  hidden: string,
  { lastPositions, totalLength, sink }: SequenceInputs,
): string {
  const { graph, config } = parts;
  const [query, key, value, output] = layerLinears(config, layer) as [
    Linear,
    Linear,
    Linear,
    Linear,
  ];
  const prefix = `model.layers.${layer}.self_attn`;
  const kind = layerKind(config, layer);
  const table = kind === "sliding" ? "rope.local" : "rope";
  const isRotated = kind !== "unrotated";
  const { headNorms } = parts.architecture;
  const [attended] = graph.node(
    "GroupQueryAttention",
    [
      headNorm(
        parts,
        linear(parts, query, hidden),
        config.heads,
        headNorms && `${prefix}.${headNorms.query}`,
      ),
      headNorm(
        parts,
        linear(parts, key, hidden),
        config.keyValueHeads,
        headNorms && `${prefix}.${headNorms.key}`,
      ),
      linear(parts, value, hidden),
      `past_key_values.${layer}.key`,
      `past_key_values.${layer}.value`,
      lastPositions,
      totalLength,
      ...(isRotated ? [`${table}.cosines`, `${table}.sines`] : []),
      // Optional inputs are told apart by their place: position ids and a bias come before the sink.
      ...(sink === null ? [] : [...(isRotated ? [] : ["", ""]), "", "", sink]),
    ],
    {
      domain: MICROSOFT,
      outputs: [`${prefix}.attended`, `present.${layer}.key`, `present.${layer}.value`],
      attributes: {
        num_heads: config.heads,
        kv_num_heads: config.keyValueHeads,
        do_rotary: isRotated ? 1 : 0,
        rotary_interleaved: 0,
        scale: { float: 1 / Math.sqrt(config.queryScalar ?? config.headSize) },
        ...(kind === "sliding" ? { local_window_size: config.slidingWindow as number } : {}),
      },
    },
  );
  return linear(parts, output, attended as string);
}

/** RMSNorm of each head. @param x `[B, S, heads · D]`. */
function headNorm(parts: GraphParts, x: string, heads: number, norm: string | null): string {
  if (norm === null) return x;
  const { graph, config } = parts;
  const split = graph.op("Reshape", [x, graph.ints([0, 0, heads, config.headSize])]);
  const normal = normalize(parts, split, `${norm}.weight`);
  return graph.op("Reshape", [normal, graph.ints([0, 0, heads * config.headSize])]);
}
