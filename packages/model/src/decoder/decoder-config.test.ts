import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { parseDecoderConfig } from "./decoder-config.ts";
import { decoderConfigJson } from "./decoder-config-json.ts";

/** Members of Qwen/Qwen3-0.6B's config.json that are read or refused here. */
const qwen3 = {
  architectures: ["Qwen3ForCausalLM"],
  attention_bias: false,
  head_dim: 128,
  hidden_act: "silu",
  hidden_size: 1024,
  intermediate_size: 3072,
  max_position_embeddings: 40960,
  max_window_layers: 28,
  model_type: "qwen3",
  num_attention_heads: 16,
  num_hidden_layers: 28,
  num_key_value_heads: 8,
  rms_norm_eps: 1e-6,
  rope_scaling: null,
  rope_theta: 1000000,
  sliding_window: null,
  tie_word_embeddings: true,
  use_sliding_window: false,
  vocab_size: 151936,
};
/** Those of meta-llama/Llama-3.2-1B. */
const llama = {
  attention_bias: false,
  head_dim: 64,
  hidden_act: "silu",
  hidden_size: 2048,
  intermediate_size: 8192,
  max_position_embeddings: 131072,
  mlp_bias: false,
  model_type: "llama",
  num_attention_heads: 32,
  num_hidden_layers: 16,
  num_key_value_heads: 8,
  rms_norm_eps: 1e-5,
  rope_scaling: {
    factor: 32,
    high_freq_factor: 4,
    low_freq_factor: 1,
    original_max_position_embeddings: 8192,
    rope_type: "llama3",
  },
  rope_theta: 500000,
  tie_word_embeddings: true,
  vocab_size: 128256,
};

test("a published qwen3 config is read member by member", () => {
  expect(parseDecoderConfig(qwen3)).toEqual({
    modelType: "qwen3",
    vocabularySize: 151936,
    width: 1024,
    layers: 28,
    heads: 16,
    keyValueHeads: 8,
    headSize: 128,
    feedForwardSize: 3072,
    ropeTheta: 1e6,
    rmsNormEpsilon: 1e-6,
    tiedEmbeddings: true,
    contextLength: 40960,
    ropeScaling: null,
  });
});

test("llama 3's frequency scaling is read from the layouts of transformers 4 and 5", () => {
  const config = parseDecoderConfig(llama);
  expect(config.ropeScaling).toEqual({
    type: "llama3",
    factor: 32,
    lowFrequencyFactor: 1,
    highFrequencyFactor: 4,
    originalContextLength: 8192,
  });
  const { rope_theta, rope_scaling, ...rest } = llama;
  const nested = { ...rest, rope_parameters: { ...rope_scaling, rope_theta } };
  expect(parseDecoderConfig(nested)).toEqual(config);
});

test("a written config reads back equal", () => {
  for (const json of [qwen3, llama]) {
    const config = parseDecoderConfig(json);
    expect(parseDecoderConfig(JSON.parse(JSON.stringify(decoderConfigJson(config))))).toEqual(
      config,
    );
  }
});

test("llama without head_dim divides its width among the heads", () => {
  const { head_dim: _, ...rest } = llama;
  expect(parseDecoderConfig(rest).headSize).toBe(64);
});

const refusals: [string, object][] = [
  ["model_type", { model_type: "gpt2" }],
  ["hidden_act", { hidden_act: "gelu" }],
  ["attention_bias", { attention_bias: true }],
  ["mlp_bias", { mlp_bias: true }],
  ["use_sliding_window", { use_sliding_window: true }],
  ["layer_types", { layer_types: ["full_attention", "sliding_attention"] }],
  ["rope_scaling.rope_type", { rope_scaling: { rope_type: "yarn", factor: 4 } }],
  ["quantization_config", { quantization_config: { bits: 4 } }],
  ["num_key_value_heads", { num_key_value_heads: 5 }],
  ["head_dim", { head_dim: 7 }],
  ["vocab_size", { vocab_size: -1 }],
  ["rms_norm_eps", { rms_norm_eps: "small" }],
];
test.each(refusals)("a config with an unsupported %s is refused by name", (name, change) => {
  let error: unknown;
  try {
    parseDecoderConfig({ ...qwen3, ...change });
  } catch (caught) {
    error = caught;
  }
  expect(WaggleError.is(error, "MODEL_UNSUPPORTED")).toBe(true);
  expect((error as Error).message).toContain(name);
});
