/**
 * Differences between decoder types besides their sizes: parameter names, norms, activation.
 * Source: the modeling files of transformers 5.18 (`models/<type>/modeling_<type>.py`).
 */
import type { DecoderConfig, DecoderModelType } from "./decoder-config.ts";

/** Names are relative to `model.layers.{n}.` unless they begin with `model.`. */
export type Architecture = {
  readonly mixerNorm: string;
  readonly feedForwardNorm: string;
  /** Norms of the outputs of attention and MLP, before the residual; `null` for none. */
  readonly outputNorms: { readonly mixer: string; readonly feedForward: string } | null;
  readonly finalNorm: string;
  /** Norms of queries and keys per head before the rotary embedding, relative to `self_attn.`. */
  readonly headNorms: { readonly query: string; readonly key: string } | null;
  /** Added to a norm's weight before multiplying. */
  readonly normOffset: 0 | 1;
  readonly outputProjection: string;
  readonly feedForward: { readonly gate: string; readonly up: string; readonly down: string };
  readonly activation: "silu" | "gelu-tanh";
  /** Queries, keys and values have a bias. */
  readonly hasAttentionBias: boolean;
  /** Factor for the embedding's rows. */
  readonly embeddingScale: (config: DecoderConfig) => number;
};

const LLAMA: Architecture = {
  mixerNorm: "input_layernorm",
  feedForwardNorm: "post_attention_layernorm",
  outputNorms: null,
  finalNorm: "model.norm",
  headNorms: null,
  normOffset: 0,
  outputProjection: "self_attn.o_proj",
  feedForward: { gate: "mlp.gate_proj", up: "mlp.up_proj", down: "mlp.down_proj" },
  activation: "silu",
  hasAttentionBias: false,
  embeddingScale: () => 1,
};
const QWEN3: Architecture = { ...LLAMA, headNorms: { query: "q_norm", key: "k_norm" } };

const ARCHITECTURES: { readonly [type in DecoderModelType]: Architecture } = {
  llama: LLAMA,
  smollm3: LLAMA,
  qwen2: { ...LLAMA, hasAttentionBias: true },
  qwen3: QWEN3,
  gemma3_text: {
    ...QWEN3,
    feedForwardNorm: "pre_feedforward_layernorm",
    outputNorms: {
      mixer: "post_attention_layernorm",
      feedForward: "post_feedforward_layernorm",
    },
    normOffset: 1,
    activation: "gelu-tanh",
    embeddingScale: ({ width }) => Math.sqrt(width),
  },
  lfm2: {
    ...LLAMA,
    mixerNorm: "operator_norm",
    feedForwardNorm: "ffn_norm",
    finalNorm: "model.embedding_norm",
    headNorms: { query: "q_layernorm", key: "k_layernorm" },
    outputProjection: "self_attn.out_proj",
    feedForward: { gate: "feed_forward.w1", up: "feed_forward.w3", down: "feed_forward.w2" },
  },
};

/** The properties of a config's model type. */
export function architectureOf(config: DecoderConfig): Architecture {
  return ARCHITECTURES[config.modelType];
}
