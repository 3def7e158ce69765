/** Writes a decoder's config as Hugging Face's `config.json`. */
import { layerKind } from "./decoder-config.ts";
import type { DecoderConfig, DecoderModelType } from "./decoder-config.ts";
import type { RopeScaling } from "./rope-config.ts";

const CLASSES: { readonly [type in DecoderModelType]: string } = {
  llama: "LlamaForCausalLM",
  qwen2: "Qwen2ForCausalLM",
  qwen3: "Qwen3ForCausalLM",
  gemma3_text: "Gemma3ForCausalLM",
  smollm3: "SmolLM3ForCausalLM",
  lfm2: "Lfm2ForCausalLM",
};

/** `config.json` in the layout of transformers 4, which transformers 5 reads too. */
export function decoderConfigJson(config: DecoderConfig): { readonly [key: string]: unknown } {
  return {
    architectures: [CLASSES[config.modelType]],
    model_type: config.modelType,
    vocab_size: config.vocabularySize,
    hidden_size: config.width,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.keyValueHeads,
    head_dim: config.headSize,
    intermediate_size: config.feedForwardSize,
    attention_bias: false,
    attention_dropout: 0,
    max_position_embeddings: config.contextLength,
    rope_theta: config.ropeTheta,
    rope_scaling: ropeScalingJson(config.ropeScaling),
    tie_word_embeddings: config.tiedEmbeddings,
    torch_dtype: "float32",
    use_cache: true,
    ...ownMembers(config),
  };
}

function ownMembers(config: DecoderConfig): { readonly [key: string]: unknown } {
  const kinds = Array.from({ length: config.layers }, (_, layer) => layerKind(config, layer));
  switch (config.modelType) {
    case "llama":
    case "qwen2":
    case "qwen3":
      return { hidden_act: "silu", rms_norm_eps: config.rmsNormEpsilon };
    case "gemma3_text":
      return {
        hidden_activation: "gelu_pytorch_tanh",
        rms_norm_eps: config.rmsNormEpsilon,
        layer_types: kinds.map((kind) =>
          kind === "sliding" ? "sliding_attention" : "full_attention",
        ),
        sliding_window: config.slidingWindow,
        rope_local_base_freq: config.localRopeTheta,
        query_pre_attn_scalar: config.queryScalar,
      };
    case "smollm3":
      return {
        hidden_act: "silu",
        rms_norm_eps: config.rmsNormEpsilon,
        no_rope_layers: kinds.map((kind) => (kind === "unrotated" ? 0 : 1)),
      };
    case "lfm2":
      return {
        norm_eps: config.rmsNormEpsilon,
        layer_types: kinds.map((kind) => (kind === "convolution" ? "conv" : "full_attention")),
        conv_L_cache: config.convolutionSize,
        block_auto_adjust_ff_dim: false,
      };
  }
}

function ropeScalingJson(scaling: RopeScaling | null): { readonly [key: string]: unknown } | null {
  switch (scaling?.type) {
    case undefined:
      return null;
    case "linear":
      return { rope_type: "linear", factor: scaling.factor };
    case "llama3":
      return {
        rope_type: "llama3",
        factor: scaling.factor,
        low_freq_factor: scaling.lowFrequencyFactor,
        high_freq_factor: scaling.highFrequencyFactor,
        original_max_position_embeddings: scaling.originalContextLength,
      };
  }
}
