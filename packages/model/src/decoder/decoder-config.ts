/**
 * A decoder's config, read from Hugging Face's `config.json` for the types in `DecoderModelType`.
 * Refuses members that the graphs and engines do not support, by name. Source of members and
 * defaults: the configuration classes of transformers 5.18.
 */
import { isObject } from "@waggle/protocol";
import { positive, refusePresent, refuseTrue, size, unsupported } from "./config-member.ts";
import type { Json } from "./config-member.ts";
import { parseGlobalRope, parseLocalTheta } from "./rope-config.ts";
import type { RopeScaling } from "./rope-config.ts";
import { parseStoredFormat } from "../weights/stored-format.ts";

const MODEL_TYPES = ["llama", "qwen2", "qwen3", "gemma3_text", "smollm3", "lfm2"] as const;

/** `gemma3_text` is also the text half of a `gemma3` checkpoint. */
export type DecoderModelType = (typeof MODEL_TYPES)[number];

/**
 * How a layer mixes positions: attention to all, attention without rotary positions, attention
 * within the sliding window and with the local rope theta, or a short convolution.
 */
export type LayerKind = "attention" | "unrotated" | "sliding" | "convolution";

/** A decoder with RMSNorm, rotary positions, grouped-query attention and a gated MLP. Sizes in elements. */
export type DecoderConfig = {
  /** `architectureOf` has further differences between the types. */
  readonly modelType: DecoderModelType;
  readonly vocabularySize: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  readonly keyValueHeads: number;
  readonly headSize: number;
  readonly feedForwardSize: number;
  readonly ropeTheta: number;
  readonly rmsNormEpsilon: number;
  /** Whether the embedding matrix also computes the logits. */
  readonly tiedEmbeddings: boolean;
  /** Maximum positions that the model was trained for. */
  readonly contextLength: number;
  readonly ropeScaling: RopeScaling | null;
  /** `[layers]`. Default: `attention` in all. */
  readonly layerKinds?: readonly LayerKind[];
  /** Tokens that a sliding layer attends to, including its own. Present if any layer is sliding. */
  readonly slidingWindow?: number;
  /** Theta of sliding layers, which are not scaled. */
  readonly localRopeTheta?: number;
  /** Scores are divided by its square root. Default: the head size. */
  readonly queryScalar?: number;
  /**
   * Positions that a convolution covers, including its own. Present if any layer is a convolution.
   */
  readonly convolutionSize?: number;
};

/** @param layer 0 to `layers` - 1. */
export function layerKind(config: DecoderConfig, layer: number): LayerKind {
  return config.layerKinds?.[layer] ?? "attention";
}

/**
 * Reads a parsed `config.json`, in the layout of transformers 4 or 5.
 * @throws WaggleError `MODEL_UNSUPPORTED` naming the unsupported member.
 */
export function parseDecoderConfig(json: unknown): DecoderConfig {
  if (!isObject(json)) throw unsupported("config.json", "hold a JSON object", json);
  parseStoredFormat(json); // refuses quantization by other projects
  if (json["model_type"] === "gemma3") {
    const text = json["text_config"];
    if (!isObject(text)) throw unsupported("text_config", "be an object", text);
    const tied = json["tie_word_embeddings"] ?? text["tie_word_embeddings"];
    return parseText({ ...text, model_type: "gemma3_text", tie_word_embeddings: tied });
  }
  return parseText(json);
}

function parseText(json: Json): DecoderConfig {
  const modelType = MODEL_TYPES.find((type) => type === json["model_type"]);
  if (modelType === undefined) {
    throw unsupported(
      "model_type",
      `be gemma3 or one of ${MODEL_TYPES.join(", ")}`,
      json["model_type"],
    );
  }
  refuseTrue(json, "attention_bias", "mlp_bias", "use_sliding_window");
  switch (modelType) {
    case "llama":
    case "qwen2":
    case "qwen3": {
      requireActivation(json, "hidden_act", "silu");
      // transformers' default is 128 for qwen3, for the others the width divided by the heads
      const common = parseCommon(json, modelType, {
        ...(modelType === "qwen3" ? { head_dim: 128 } : {}),
        max_position_embeddings: modelType === "llama" ? 2048 : 32_768,
      });
      requireLayerTypes(json, common.layers, ["full_attention"]);
      return common;
    }
    case "gemma3_text":
      return parseGemma3(json);
    case "smollm3":
      return parseSmolLm3(json);
    case "lfm2":
      return parseLfm2(json);
  }
}

function parseGemma3(json: Json): DecoderConfig {
  requireActivation(json, "hidden_activation", "gelu_pytorch_tanh");
  refuseTrue(json, "use_bidirectional_attention");
  refusePresent(json, "attn_logit_softcapping", "final_logit_softcapping");
  const common = parseCommon(json, "gemma3_text", {
    vocab_size: 262_208,
    hidden_size: 2304,
    intermediate_size: 9216,
    num_hidden_layers: 26,
    num_attention_heads: 8,
    num_key_value_heads: 4,
    head_dim: 256,
    max_position_embeddings: 131_072,
    rope_theta: 1_000_000,
    tie_word_embeddings: true,
  });
  const period = size(json, "sliding_window_pattern", 6);
  const types =
    requireLayerTypes(json, common.layers, ["full_attention", "sliding_attention"]) ??
    layerList(common.layers, (layer) =>
      (layer + 1) % period === 0 ? "full_attention" : "sliding_attention",
    );
  return {
    ...common,
    layerKinds: types.map((type) => (type === "full_attention" ? "attention" : "sliding")),
    slidingWindow: size(json, "sliding_window", 4096),
    localRopeTheta: parseLocalTheta(json),
    queryScalar: positive("query_pre_attn_scalar", json["query_pre_attn_scalar"] ?? 256),
  };
}

function parseSmolLm3(json: Json): DecoderConfig {
  requireActivation(json, "hidden_act", "silu");
  const common = parseCommon(json, "smollm3", {
    vocab_size: 128_256,
    hidden_size: 2048,
    intermediate_size: 11_008,
    num_hidden_layers: 36,
    num_attention_heads: 16,
    num_key_value_heads: 4,
    max_position_embeddings: 32_768,
    rope_theta: 2_000_000,
    tie_word_embeddings: true,
  });
  requireLayerTypes(json, common.layers, ["full_attention"]);
  const interval = size(json, "no_rope_layer_interval", 4);
  const rotated =
    json["no_rope_layers"] ??
    layerList(common.layers, (layer) => ((layer + 1) % interval === 0 ? 0 : 1));
  if (
    !Array.isArray(rotated) ||
    rotated.length < common.layers ||
    !rotated.every((value) => value === 0 || value === 1)
  ) {
    throw unsupported("no_rope_layers", `hold 0 or 1 for each of ${common.layers} layers`, rotated);
  }
  return {
    ...common,
    layerKinds: layerList(common.layers, (layer) =>
      rotated[layer] === 1 ? "attention" : "unrotated",
    ),
  };
}

function parseLfm2(json: Json): DecoderConfig {
  refuseTrue(json, "conv_bias");
  const common = parseCommon(json, "lfm2", {
    vocab_size: 65_536,
    hidden_size: 2560,
    intermediate_size: 12_288,
    num_hidden_layers: 32,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    max_position_embeddings: 128_000,
    rms_norm_eps: 1e-5,
    rope_theta: 1_000_000,
    tie_word_embeddings: true,
  });
  const attending = json["full_attn_idxs"];
  if ((attending ?? null) !== null && !Array.isArray(attending)) {
    throw unsupported("full_attn_idxs", "be a list of layers", attending);
  }
  const types =
    requireLayerTypes(json, common.layers, ["full_attention", "conv"]) ??
    layerList(common.layers, (layer) =>
      Array.isArray(attending) && !attending.includes(layer) ? "conv" : "full_attention",
    );
  return {
    ...common,
    feedForwardSize: lfm2FeedForwardSize(json, common.feedForwardSize),
    layerKinds: types.map((type) => (type === "conv" ? "convolution" : "attention")),
    convolutionSize: size(json, "conv_L_cache", 3),
  };
}

/** Two thirds, times a factor, rounded up to a multiple, as in transformers' `Lfm2MLP`. */
function lfm2FeedForwardSize(json: Json, configured: number): number {
  const base = size(json, "block_ff_dim", configured);
  if (json["block_auto_adjust_ff_dim"] === false) return base;
  const reduced = Math.floor((2 * base) / 3);
  const multiplier = json["block_ffn_dim_multiplier"];
  if (multiplier === null) return reduced;
  const multiple = size(json, "block_multiple_of", 256);
  const scaled = Math.floor(positive("block_ffn_dim_multiplier", multiplier ?? 1) * reduced);
  return multiple * Math.ceil(scaled / multiple);
}

/** Members of all types; `defaults` are those of transformers. */
function parseCommon(given: Json, modelType: DecoderModelType, defaults: Json): DecoderConfig {
  const present = Object.entries(given).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  const json: Json = { ...defaults, ...Object.fromEntries(present) };
  const width = size(json, "hidden_size");
  const heads = size(json, "num_attention_heads");
  const keyValueHeads = size(json, "num_key_value_heads", heads);
  const headSize = size(json, "head_dim", width / heads);
  if (heads % keyValueHeads !== 0) {
    throw unsupported("num_key_value_heads", `divide ${heads} heads`, keyValueHeads);
  }
  if (headSize % 2 !== 0) throw unsupported("head_dim", "be even", headSize);
  const epsilon = json["norm_eps"] ?? json["rms_norm_eps"] ?? 1e-6;
  const tied = json["tie_embedding"] ?? json["tie_word_embeddings"] ?? false;
  return {
    modelType,
    vocabularySize: size(json, "vocab_size"),
    width,
    layers: size(json, "num_hidden_layers"),
    heads,
    keyValueHeads,
    headSize,
    feedForwardSize: size(json, "intermediate_size"),
    rmsNormEpsilon: positive("rms_norm_eps", epsilon),
    tiedEmbeddings: tied === true,
    contextLength: size(json, "max_position_embeddings"),
    ...parseGlobalRope(json),
  };
}

function layerList<T>(layers: number, make: (layer: number) => T): T[] {
  return Array.from({ length: layers }, (_, layer) => make(layer));
}

function requireActivation(json: Json, name: string, wanted: string): void {
  const activation = json[name] ?? wanted;
  if (activation !== wanted) throw unsupported(name, `be ${wanted}`, activation);
}

/** The `layer_types` member, `null` if absent. */
function requireLayerTypes(json: Json, layers: number, known: readonly string[]): string[] | null {
  const types = json["layer_types"] ?? null;
  if (types === null) return null;
  if (!Array.isArray(types) || !types.every((type) => known.includes(type))) {
    throw unsupported("layer_types", `hold only ${known.join(", ")}`, types);
  }
  if (types.length !== layers) throw unsupported("layer_types", `hold ${layers} types`, types);
  return types;
}
