/**
 * Attention of one layer: its linears, with a replaceable attention operator in between. The usual
 * one is a single com.microsoft GroupQueryAttention node for rotation, past, causality and window,
 * which runs on the CPU, WASM and WebGPU providers.
 */
import { layerKind } from "../decoder/decoder-config.ts";
import { layerLinears } from "../decoder/decoder-parameters.ts";
import type { Linear } from "../decoder/decoder-parameters.ts";
import { linear } from "./graph-linear.ts";
import { MICROSOFT, normalize } from "./graph-parts.ts";
import type { GraphParts } from "./graph-parts.ts";

/** Names of the inputs that describe lengths and positions. */
export type SequenceInputs = {
  /** i32 `[B]`: positions that count in each row after this run, minus one. */
  readonly lastPositions: string;
  /** i32 scalar: positions of the padded batch after this run. */
  readonly totalLength: string;
  /** f32 `[heads]`: logits of an additional position without a value; `null` for none. */
  readonly sink: string | null;
};

/** Queries, keys and values of a layer, `[B, S, heads · D]` each. */
export type Projections = {
  readonly query: string;
  readonly key: string;
  readonly value: string;
};

/** Names of a layer's states after the run. */
export type PresentNames = { readonly key: string; readonly value: string };

/** @returns the heads' outputs, `[B, S, heads · D]`. Creates the tensors of `present`. */
export type Attend = (layer: number, projections: Projections, present: PresentNames) => string;

function presentNames(layer: number): PresentNames {
  return { key: `present.${layer}.key`, value: `present.${layer}.value` };
}

/** @param hidden `[B, S, C]`. @returns the output, before it is added to the residual. */
export function attention(
  parts: GraphParts,
  layer: number,
  hidden: string,
  attend: Attend,
): string {
  const [query, key, value, output] = layerLinears(parts.config, layer) as [
    Linear,
    Linear,
    Linear,
    Linear,
  ];
  const projections = {
    query: linear(parts, query, hidden),
    key: linear(parts, key, hidden),
    value: linear(parts, value, hidden),
  };
  return linear(parts, output, attend(layer, projections, presentNames(layer)));
}

/** All of attention as one node. */
export function groupQueryAttention(
  parts: GraphParts,
  layer: number,
  { query, key, value }: Projections,
  present: PresentNames,
  { lastPositions, totalLength, sink }: SequenceInputs,
): string {
  const { graph, config } = parts;
  const prefix = `model.layers.${layer}.self_attn`;
  const kind = layerKind(config, layer);
  const table = kind === "sliding" ? "rope.local" : "rope";
  const isRotated = kind !== "unrotated";
  const { headNorms } = parts.architecture;
  const [attended] = graph.node(
    "GroupQueryAttention",
    [
      headNorm(parts, query, config.heads, headNorms && `${prefix}.${headNorms.query}`),
      headNorm(parts, key, config.keyValueHeads, headNorms && `${prefix}.${headNorms.key}`),
      value,
      `past_key_values.${layer}.key`,
      `past_key_values.${layer}.value`,
      lastPositions,
      totalLength,
      ...(isRotated ? [`${table}.cosines`, `${table}.sines`] : []),
      // Optional inputs are identified by place: position ids and a bias precede the sink.
      ...(sink === null ? [] : [...(isRotated ? [] : ["", ""]), "", "", sink]),
    ],
    {
      domain: MICROSOFT,
      outputs: [`${prefix}.attended`, present.key, present.value],
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
  return attended as string;
}

/** RMSNorm of each head. @param x `[B, S, heads · D]`. */
function headNorm(parts: GraphParts, x: string, heads: number, norm: string | null): string {
  if (norm === null) return x;
  const { graph, config } = parts;
  const split = graph.op("Reshape", [x, graph.ints([0, 0, heads, config.headSize])]);
  const normal = normalize(parts, split, `${norm}.weight`);
  return graph.op("Reshape", [normal, graph.ints([0, 0, heads * config.headSize])]);
}
