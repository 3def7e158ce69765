/**
 * The inference graph of a decoder as an ONNX model, keys and values passed in and out. Forward
 * only; training graphs belong to `@waggle/engine`. Attention with its rotation, past and causality
 * is one com.microsoft GroupQueryAttention node, which the CPU, WASM and WebGPU providers all run.
 */
import { WaggleError } from "@waggle/protocol";
import type { Tensor, TensorMap } from "@waggle/protocol";
import { loraName } from "./adapter.ts";
import type { DecoderConfig } from "./decoder-config.ts";
import { layerLinears, selectDecoderWeights } from "./decoder-parameters.ts";
import type { Linear } from "./decoder-parameters.ts";
import { OnnxGraphBuilder } from "./onnx-graph-builder.ts";
import { ropeTables } from "./rope.ts";

export type DecoderGraphOptions = {
  /** With a rank, A and B of every linear are graph inputs; feed them from `adapterGraphInputs`. */
  readonly lora: { readonly rank: number } | null;
  /**
   * Positions the rotary tables cover; longer sequences fail when run. Default: the config's
   * context length, at most 8192.
   */
  readonly maxPositions?: number;
};

const DEFAULT_MAX_POSITIONS = 8192;
const MICROSOFT = "com.microsoft";

/**
 * ONNX bytes, weights inside. For batch B, S new tokens and P past positions the inputs are
 * - `input_ids` i32 `[B, S]`, rows padded on the right;
 * - `seqlens_k` i32 `[B]`: positions that count in each row after this run, minus one;
 * - `total_sequence_length` i32 scalar: P + S;
 * - `past_key_values.{layer}.key` and `.value` f32 `[B, kvHeads, P, D]` (P may be 0);
 * - with LoRA, per linear `[in, r]` and `[r, out]` under PEFT's names;
 *
 * and the outputs `logits` f32 `[B, S, V]`, `present.{layer}.key` and `.value` `[B, kvHeads, P + S, D]`.
 * @throws WaggleError `MODEL_CORRUPT` where the weights are not those of the config,
 *   `MODEL_UNSUPPORTED` where the head size is no multiple of 16, which GroupQueryAttention needs.
 */
export function buildDecoderGraph(
  config: DecoderConfig,
  weights: TensorMap,
  options: DecoderGraphOptions,
): Uint8Array {
  if (config.headSize % 16 !== 0) {
    throw new WaggleError(
      "MODEL_UNSUPPORTED",
      `head_dim must be a multiple of 16, got ${config.headSize}; use a model with such heads`,
    );
  }
  const checked = selectDecoderWeights(config, weights);
  const graph = new OnnxGraphBuilder();
  const inputIds = graph.input("input_ids", "i32", ["batch", "sequence"]);
  graph.input("seqlens_k", "i32", ["batch"]);
  graph.input("total_sequence_length", "i32", []);
  const cacheDims = (length: string): (string | number)[] => [
    "batch",
    config.keyValueHeads,
    length,
    config.headSize,
  ];
  for (let layer = 0; layer < config.layers; layer++) {
    graph.input(`past_key_values.${layer}.key`, "f32", cacheDims("past"));
    graph.input(`past_key_values.${layer}.value`, "f32", cacheDims("past"));
  }
  addRopeTables(graph, config, options);
  for (const [name, tensor] of checked) addWeight(graph, name, tensor);

  const embedding = "model.embed_tokens.weight";
  const parts: Parts = { graph, config, linear: linearMaker(graph, options) };
  let residual = graph.op("Gather", [embedding, inputIds]);
  let hidden = normalize(parts, residual, "model.layers.0.input_layernorm.weight");
  for (let layer = 0; layer < config.layers; layer++) {
    const prefix = `model.layers.${layer}`;
    const linears = layerLinears(config, layer);
    const attended = attention(parts, layer, linears, hidden);
    [hidden, residual] = addAndNormalize(
      parts,
      attended,
      residual,
      `${prefix}.post_attention_layernorm.weight`,
    );
    const fed = feedForward(parts, linears, hidden);
    const nextNorm =
      layer + 1 < config.layers
        ? `model.layers.${layer + 1}.input_layernorm.weight`
        : "model.norm.weight";
    [hidden, residual] = addAndNormalize(parts, fed, residual, nextNorm);
  }
  const head = config.tiedEmbeddings
    ? graph.op("Transpose", [embedding], { attributes: { perm: { ints: [1, 0] } } })
    : "lm_head.weight";
  graph.node("MatMul", [hidden, head], { outputs: ["logits"] });
  graph.output("logits", "f32", ["batch", "sequence", config.vocabularySize]);
  for (let layer = 0; layer < config.layers; layer++) {
    graph.output(`present.${layer}.key`, "f32", cacheDims("total"));
    graph.output(`present.${layer}.value`, "f32", cacheDims("total"));
  }
  return graph.build();
}

type Parts = {
  readonly graph: OnnxGraphBuilder;
  readonly config: DecoderConfig;
  readonly linear: (linear: Linear, x: string) => string;
};

/** Matrices but the embedding are stored `[in, out]`, as MatMul wants them. */
function addWeight(graph: OnnxGraphBuilder, name: string, tensor: Tensor): void {
  const [rows, columns] = tensor.shape;
  if (rows === undefined || columns === undefined || name === "model.embed_tokens.weight") {
    graph.initializer(name, "f32", tensor.shape, tensor.data);
    return;
  }
  const transposed = new Float32Array(tensor.data.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      transposed[column * rows + row] = tensor.data[row * columns + column] as number;
    }
  }
  graph.initializer(name, "f32", [columns, rows], transposed);
}

function addRopeTables(
  graph: OnnxGraphBuilder,
  config: DecoderConfig,
  options: DecoderGraphOptions,
): void {
  const positions = options.maxPositions ?? Math.min(config.contextLength, DEFAULT_MAX_POSITIONS);
  if (!Number.isInteger(positions) || positions < 1) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `maxPositions must be a positive integer, got ${positions}; pass the longest context`,
    );
  }
  const { cosines, sines } = ropeTables(config, positions);
  graph.initializer("rope.cosines", "f32", [positions, config.headSize / 2], cosines);
  graph.initializer("rope.sines", "f32", [positions, config.headSize / 2], sines);
}

function linearMaker(graph: OnnxGraphBuilder, options: DecoderGraphOptions): Parts["linear"] {
  const { lora } = options;
  return ({ name, inputSize, outputSize }, x) => {
    const y = graph.op("MatMul", [x, `${name}.weight`]);
    if (lora === null) return y;
    const a = graph.input(loraName(name, "A"), "f32", [inputSize, lora.rank]);
    const b = graph.input(loraName(name, "B"), "f32", [lora.rank, outputSize]);
    return graph.op("Add", [y, graph.op("MatMul", [graph.op("MatMul", [x, a]), b])]);
  };
}

function attention(parts: Parts, layer: number, linears: Linear[], hidden: string): string {
  const { graph, config, linear } = parts;
  const [query, key, value, output] = linears as [Linear, Linear, Linear, Linear];
  const prefix = `model.layers.${layer}.self_attn`;
  const headNorm = (x: string, heads: number, weight: string): string => {
    if (config.modelType !== "qwen3") return x;
    const split = graph.op("Reshape", [x, graph.ints([0, 0, heads, config.headSize])]);
    const normal = normalize(parts, split, weight);
    return graph.op("Reshape", [normal, graph.ints([0, 0, heads * config.headSize])]);
  };
  const [attended] = graph.node(
    "GroupQueryAttention",
    [
      headNorm(linear(query, hidden), config.heads, `${prefix}.q_norm.weight`),
      headNorm(linear(key, hidden), config.keyValueHeads, `${prefix}.k_norm.weight`),
      linear(value, hidden),
      `past_key_values.${layer}.key`,
      `past_key_values.${layer}.value`,
      "seqlens_k",
      "total_sequence_length",
      "rope.cosines",
      "rope.sines",
    ],
    {
      domain: MICROSOFT,
      outputs: [`${prefix}.attended`, `present.${layer}.key`, `present.${layer}.value`],
      attributes: {
        num_heads: config.heads,
        kv_num_heads: config.keyValueHeads,
        do_rotary: 1,
        rotary_interleaved: 0,
        scale: { float: 1 / Math.sqrt(config.headSize) },
      },
    },
  );
  return linear(output, attended as string);
}

function feedForward({ graph, linear }: Parts, linears: Linear[], hidden: string): string {
  const [gate, up, down] = linears.slice(4) as [Linear, Linear, Linear];
  const gated = linear(gate, hidden);
  const activated = graph.op("Mul", [gated, graph.op("Sigmoid", [gated])]);
  return linear(down, graph.op("Mul", [activated, linear(up, hidden)]));
}

function normalize({ graph, config }: Parts, x: string, weight: string): string {
  return graph.op("SimplifiedLayerNormalization", [x, weight], {
    attributes: { axis: -1, epsilon: { float: config.rmsNormEpsilon }, stash_type: 1 },
  });
}

/** @returns the normalized sum and the sum itself, the next residual. */
function addAndNormalize(
  { graph, config }: Parts,
  x: string,
  residual: string,
  weight: string,
): [string, string] {
  const stem = `${weight}.of`;
  const outputs = [`${stem}.normal`, "", "", `${stem}.sum`];
  graph.node("SkipSimplifiedLayerNormalization", [x, residual, weight], {
    domain: MICROSOFT,
    outputs,
    attributes: { epsilon: { float: config.rmsNormEpsilon } },
  });
  return [outputs[0] as string, outputs[3] as string];
}
