/**
 * One decoder layer on a gradient tape: attention and gated feed-forward with residuals. Shared by
 * the graph of a whole model and the graph of one layer, which differ in how they name and apply
 * weights.
 */
import type { DecoderConfig } from "@waggle/model";
import { causalView } from "../batch/attention-view.ts";
import type { QueryBlock } from "../batch/attention-view.ts";
import { attentionInputs, causalAttention, nameIn } from "./causal-attention.ts";
import type { GraphTape } from "./graph-tape.ts";
import {
  addBias,
  gatherRows,
  reshape,
  rmsNorm,
  rotary,
  swapTimeAndHeads,
  swiGlu,
} from "./tape-operations.ts";

/** Linears by their names within a layer. */
export type LinearName =
  | "self_attn.q_proj"
  | "self_attn.k_proj"
  | "self_attn.v_proj"
  | "self_attn.o_proj"
  | "mlp.gate_proj"
  | "mlp.up_proj"
  | "mlp.down_proj";

/** How a layer gets and applies its weights. */
export type LayerWeights = {
  /** `input · Wᵀ (+ addend)`, plus the adapter's part if there is one. */
  readonly linear: (name: LinearName, input: string, addend?: string) => string;
  /** Tensor of a linear's bias; `null` for none. */
  readonly bias: (name: LinearName) => string | null;
  /** Whether queries and keys have rotary embeddings. */
  readonly isRotated: boolean;
  /** Tensor of a norm's gains by its name within a layer, without `.weight`. */
  readonly norm: (name: string) => string;
  /** Number of blocks of attention's queries, as in `declareLayerInputs`. */
  readonly blocks: number;
};

/** Inputs that all layers share; see `declareLayerInputs`. */
const TABLE = {
  cosine: "cosines",
  sine: "sines",
  negatedSine: "negatedSines",
  positions: "positions",
};

/** i64 shapes that depend on B and T, given as inputs because Reshape cannot derive them. */
export function shapeInputs(
  config: DecoderConfig,
  batch: number,
  length: number,
  blocks: readonly QueryBlock[],
): { readonly [name: string]: readonly number[] } {
  const { heads, keyValueHeads, headSize } = config;
  return {
    "shape.queries": [batch, length, heads, headSize],
    "shape.keys": [batch, length, keyValueHeads, headSize],
    ...attentionInputs({ ...config, batch, length }, blocks),
  };
}

/**
 * Declares `cosines`, `sines` f32 `[P, D/2]` for P ≥ T positions, `positions` i64 `[B, T]`, the masks of
 * `QueryBlock`, the i64 shapes of `shapeInputs` and, for the backward pass, `negatedSines`.
 */
export function declareLayerInputs(
  { builder }: GraphTape,
  config: DecoderConfig,
  pass: "forward" | "backward",
  blocks: number,
): void {
  const half = config.headSize / 2;
  builder.input("cosines", "f32", ["P", half]);
  builder.input("sines", "f32", ["P", half]);
  builder.input("positions", "i64", ["B", "T"]);
  for (let block = 0; block < blocks; block++) {
    builder.input(nameIn(block)("mask"), "f32", ["M", 1, `T${block}`, `E${block}`]);
  }
  // the sizes do not matter here, only names and ranks
  for (const [name, shape] of Object.entries(
    shapeInputs(config, 1, blocks, causalView(blocks, blocks)),
  )) {
    builder.input(name, "i64", [shape.length]);
  }
  if (pass === "backward") builder.input("negatedSines", "f32", ["P", half]);
}

/**
 * @param hidden `[N, C]`, N = B·T.
 * @param rows if only some rows are needed after this layer's attention: names of i32 `[K]` and of its
 *   inverse i32 `[N]`, as for `gatherRows`.
 * @returns the next hidden states, `[N, C]` or `[K, C]`.
 */
export function decoderLayer(
  tape: GraphTape,
  config: DecoderConfig,
  weights: LayerWeights,
  hidden: string,
  rows?: { readonly indices: string; readonly inverse: string },
): string {
  const { linear } = weights;
  const projected = (name: LinearName, input: string): string => {
    const bias = weights.bias(name);
    const product = linear(name, input);
    return bias === null ? product : addBias(tape, product, bias);
  };
  const norm = (input: string, name: string): string =>
    rmsNorm(tape, input, weights.norm(name), {
      size: config.width,
      epsilon: config.rmsNormEpsilon,
      isFlat: true,
    });
  const normal = norm(hidden, "input_layernorm");
  const mixed = attend(tape, config, weights, {
    queries: projected("self_attn.q_proj", normal),
    keys: projected("self_attn.k_proj", normal),
    values: projected("self_attn.v_proj", normal),
  });
  const kept = (input: string, width: number): string =>
    rows === undefined ? input : gatherRows(tape, input, { ...rows, width });
  const attended = linear(
    "self_attn.o_proj",
    kept(mixed, config.heads * config.headSize),
    kept(hidden, config.width),
  );
  const normalAttended = norm(attended, "post_attention_layernorm");
  const activated = swiGlu(
    tape,
    linear("mlp.gate_proj", normalAttended),
    linear("mlp.up_proj", normalAttended),
  );
  return linear("mlp.down_proj", activated, attended);
}

/** From queries `[N, H·D]`, keys and values `[N, K·D]` to attention's output `[N, H·D]`. */
function attend(
  tape: GraphTape,
  config: DecoderConfig,
  weights: LayerWeights,
  projections: { readonly queries: string; readonly keys: string; readonly values: string },
): string {
  const { heads, keyValueHeads, headSize } = config;
  const flat = (headCount: number): string => tape.builder.ints([-1, headCount * headSize]);
  const split = (input: string, shape: string, headCount: number, normName?: string): string => {
    const perHead = reshape(tape, input, shape, flat(headCount));
    const normal =
      normName === undefined || config.modelType !== "qwen3"
        ? perHead
        : rmsNorm(tape, perHead, weights.norm(normName), {
            size: headSize,
            epsilon: config.rmsNormEpsilon,
            isFlat: false,
          });
    return swapTimeAndHeads(tape, normal);
  };
  const turned = (input: string): string =>
    weights.isRotated ? rotary(tape, input, TABLE) : input;
  const queries = turned(split(projections.queries, "shape.queries", heads, "self_attn.q_norm"));
  const keys = turned(split(projections.keys, "shape.keys", keyValueHeads, "self_attn.k_norm"));
  const values = split(projections.values, "shape.keys", keyValueHeads);
  const attended = causalAttention(tape, queries, keys, values, {
    scale: 1 / Math.sqrt(headSize),
    blocks: weights.blocks,
  });
  return reshape(tape, swapTimeAndHeads(tape, attended), flat(heads), "shape.queries");
}
