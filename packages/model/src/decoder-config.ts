/**
 * What one decoder is, read from and written to Hugging Face's `config.json` of `qwen3` and `llama`.
 * Not a general config reader: what the graphs and engines do not compute is refused by name.
 */
import { WaggleError } from "@waggle/protocol";

/** Frequency scaling of Llama 3.1. Source: Grattafiori et al. 2024, arXiv 2407.21783. */
export type RopeScaling = {
  readonly type: "llama3";
  readonly factor: number;
  readonly lowFrequencyFactor: number;
  readonly highFrequencyFactor: number;
  readonly originalContextLength: number;
};

/** A decoder with RMSNorm, rotary positions, grouped-query attention and SwiGLU. Sizes in elements. */
export type DecoderConfig = {
  /** `qwen3` normalizes queries and keys per head before the rotation; `llama` does not. */
  readonly modelType: "qwen3" | "llama";
  readonly vocabularySize: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  readonly keyValueHeads: number;
  readonly headSize: number;
  readonly feedForwardSize: number;
  readonly ropeTheta: number;
  readonly rmsNormEpsilon: number;
  /** The embedding matrix also makes the logits. */
  readonly tiedEmbeddings: boolean;
  /** Positions the model was made for. */
  readonly contextLength: number;
  readonly ropeScaling: RopeScaling | null;
};

type Json = { readonly [key: string]: unknown };

/**
 * Reads a parsed `config.json`, in the layout of transformers 4 or 5.
 * @throws WaggleError `MODEL_UNSUPPORTED` naming the member that this project does not compute.
 */
export function parseDecoderConfig(json: unknown): DecoderConfig {
  if (!isObject(json)) throw unsupported("config.json", "hold a JSON object", json);
  const modelType = json["model_type"];
  if (modelType !== "qwen3" && modelType !== "llama") {
    throw unsupported("model_type", "be qwen3 or llama", modelType);
  }
  const activation = json["hidden_act"] ?? "silu";
  if (activation !== "silu") throw unsupported("hidden_act", "be silu", activation);
  for (const bias of ["attention_bias", "mlp_bias"]) {
    if (json[bias] ?? false) throw unsupported(bias, "be false", json[bias]);
  }
  if (json["use_sliding_window"] ?? false) {
    throw unsupported("use_sliding_window", "be false", json["use_sliding_window"]);
  }
  const layerTypes = json["layer_types"] ?? [];
  if (!Array.isArray(layerTypes) || layerTypes.some((type) => type !== "full_attention")) {
    throw unsupported("layer_types", "hold only full_attention", layerTypes);
  }
  if (json["quantization_config"] !== undefined && json["quantization_config"] !== null) {
    throw unsupported("quantization_config", "be absent", json["quantization_config"]);
  }
  const width = size(json, "hidden_size");
  const heads = size(json, "num_attention_heads");
  const keyValueHeads = size(json, "num_key_value_heads", heads);
  // transformers' default of qwen3 is 128, of llama the width divided by the heads
  const headSize = size(json, "head_dim", modelType === "qwen3" ? 128 : width / heads);
  if (heads % keyValueHeads !== 0) {
    throw unsupported("num_key_value_heads", `divide ${heads} heads`, keyValueHeads);
  }
  if (headSize % 2 !== 0) throw unsupported("head_dim", "be even", headSize);
  // transformers 5 moved the rope members into `rope_parameters`
  const rope = isObject(json["rope_parameters"]) ? json["rope_parameters"] : json["rope_scaling"];
  const nestedTheta = isObject(rope) ? rope["rope_theta"] : undefined;
  return {
    modelType,
    vocabularySize: size(json, "vocab_size"),
    width,
    layers: size(json, "num_hidden_layers"),
    heads,
    keyValueHeads,
    headSize,
    feedForwardSize: size(json, "intermediate_size"),
    ropeTheta: positive("rope_theta", nestedTheta ?? json["rope_theta"] ?? 10_000),
    rmsNormEpsilon: positive("rms_norm_eps", json["rms_norm_eps"] ?? 1e-6),
    tiedEmbeddings: (json["tie_word_embeddings"] ?? false) === true,
    contextLength: size(json, "max_position_embeddings", modelType === "qwen3" ? 32_768 : 2048),
    ropeScaling: parseRopeScaling(rope),
  };
}

/** The same as Hugging Face's `config.json`, in the layout of transformers 4, which both read. */
export function decoderConfigJson(config: DecoderConfig): { readonly [key: string]: unknown } {
  const scaling = config.ropeScaling;
  return {
    architectures: [config.modelType === "qwen3" ? "Qwen3ForCausalLM" : "LlamaForCausalLM"],
    model_type: config.modelType,
    vocab_size: config.vocabularySize,
    hidden_size: config.width,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.keyValueHeads,
    head_dim: config.headSize,
    intermediate_size: config.feedForwardSize,
    hidden_act: "silu",
    attention_bias: false,
    attention_dropout: 0,
    max_position_embeddings: config.contextLength,
    rms_norm_eps: config.rmsNormEpsilon,
    rope_theta: config.ropeTheta,
    rope_scaling:
      scaling === null
        ? null
        : {
            rope_type: "llama3",
            factor: scaling.factor,
            low_freq_factor: scaling.lowFrequencyFactor,
            high_freq_factor: scaling.highFrequencyFactor,
            original_max_position_embeddings: scaling.originalContextLength,
          },
    tie_word_embeddings: config.tiedEmbeddings,
    torch_dtype: "float32",
    use_cache: true,
  };
}

function parseRopeScaling(rope: unknown): RopeScaling | null {
  if (rope === undefined || rope === null) return null;
  if (!isObject(rope)) throw unsupported("rope_scaling", "be an object or null", rope);
  const type = rope["rope_type"] ?? rope["type"] ?? "default";
  if (type === "default") return null;
  if (type !== "llama3") throw unsupported("rope_scaling.rope_type", "be llama3", type);
  return {
    type,
    factor: positive("rope_scaling.factor", rope["factor"]),
    lowFrequencyFactor: positive("rope_scaling.low_freq_factor", rope["low_freq_factor"]),
    highFrequencyFactor: positive("rope_scaling.high_freq_factor", rope["high_freq_factor"]),
    originalContextLength: size(rope, "original_max_position_embeddings"),
  };
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function size(json: Json, name: string, fallback?: number): number {
  const value = json[name] ?? fallback;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > 1e9) {
    throw unsupported(name, "be a positive integer", value);
  }
  return value;
}

function positive(name: string, value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) {
    throw unsupported(name, "be a positive number", value);
  }
  return value;
}

function unsupported(name: string, rule: string, value: unknown): WaggleError {
  const text = (JSON.stringify(value) ?? "nothing").slice(0, 100);
  return new WaggleError(
    "MODEL_UNSUPPORTED",
    `${name} must ${rule}, got ${text}; use a model of the supported decoder type`,
  );
}
