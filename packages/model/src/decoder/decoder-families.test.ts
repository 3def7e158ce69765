import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { adapterConfigJson, initializeAdapter } from "../adapters/adapter.ts";
import { parseDecoderConfig } from "./decoder-config.ts";
import type { DecoderConfig } from "./decoder-config.ts";
import { decoderConfigJson } from "./decoder-config-json.ts";
import { initializeDecoder, layerLinears } from "./decoder-parameters.ts";
import { parameterCount } from "./parameter-count.ts";
import { decoderStates, hasPositions, stateShape } from "./decoder-state.ts";
import { mergeAdapter } from "../weights/merged-weights.ts";

/** Members of Qwen/Qwen2.5-0.5B's config.json. */
const qwen2 = {
  hidden_act: "silu",
  hidden_size: 896,
  intermediate_size: 4864,
  max_position_embeddings: 32768,
  max_window_layers: 24,
  model_type: "qwen2",
  num_attention_heads: 14,
  num_hidden_layers: 24,
  num_key_value_heads: 2,
  rms_norm_eps: 1e-6,
  rope_theta: 1000000,
  sliding_window: 32768,
  tie_word_embeddings: true,
  use_sliding_window: false,
  vocab_size: 151936,
};
/** Those of google/gemma-3-1b-it. */
const gemma3Text = {
  attention_bias: false,
  attn_logit_softcapping: null,
  final_logit_softcapping: null,
  head_dim: 256,
  hidden_activation: "gelu_pytorch_tanh",
  hidden_size: 1152,
  intermediate_size: 6912,
  max_position_embeddings: 32768,
  model_type: "gemma3_text",
  num_attention_heads: 4,
  num_hidden_layers: 26,
  num_key_value_heads: 1,
  query_pre_attn_scalar: 256,
  rms_norm_eps: 1e-6,
  rope_local_base_freq: 10000,
  rope_scaling: null,
  rope_theta: 1000000,
  sliding_window: 512,
  sliding_window_pattern: 6,
  vocab_size: 262144,
};
/** Those of google/gemma-3-4b-it, which relies on transformers' defaults. */
const gemma3 = {
  architectures: ["Gemma3ForConditionalGeneration"],
  model_type: "gemma3",
  text_config: {
    hidden_size: 2560,
    intermediate_size: 10240,
    model_type: "gemma3_text",
    num_hidden_layers: 34,
    rope_scaling: { factor: 8, rope_type: "linear" },
    sliding_window: 1024,
  },
  vision_config: { hidden_size: 1152 },
};
/** Those of HuggingFaceTB/SmolLM3-3B. */
const smollm3 = {
  attention_bias: false,
  hidden_act: "silu",
  hidden_size: 2048,
  intermediate_size: 11008,
  max_position_embeddings: 65536,
  mlp_bias: false,
  model_type: "smollm3",
  no_rope_layer_interval: 4,
  num_attention_heads: 16,
  num_hidden_layers: 36,
  num_key_value_heads: 4,
  rms_norm_eps: 1e-6,
  rope_scaling: null,
  rope_theta: 5000000,
  use_sliding_window: false,
  vocab_size: 128256,
};
/** Those of LiquidAI/LFM2-350M. */
const lfm2 = {
  block_auto_adjust_ff_dim: true,
  block_ff_dim: 6656,
  block_ffn_dim_multiplier: 1,
  block_multiple_of: 256,
  conv_L_cache: 3,
  conv_bias: false,
  full_attn_idxs: [2, 5, 8, 10, 12, 14],
  hidden_size: 1024,
  max_position_embeddings: 128000,
  model_type: "lfm2",
  norm_eps: 1e-5,
  num_attention_heads: 16,
  num_hidden_layers: 16,
  num_key_value_heads: 8,
  rope_theta: 1000000,
  vocab_size: 65536,
};
const published = { qwen2, gemma3Text, gemma3, smollm3, lfm2 };

/** Parameter counts stated by the publishers, without gemma3's image encoder. */
test.each([
  ["qwen2", 494_032_768],
  ["gemma3Text", 999_885_952],
  ["gemma3", 3_880_263_168],
  ["smollm3", 3_075_098_624],
  ["lfm2", 354_483_968],
] as const)("%s has as many parameters as published", (name, count) => {
  expect(parameterCount(parseDecoderConfig(published[name]))).toBe(count);
});

test.each(Object.entries(published))("a written %s config reads back equal", (_, json) => {
  const config = parseDecoderConfig(json);
  expect(parseDecoderConfig(JSON.parse(JSON.stringify(decoderConfigJson(config))))).toEqual(config);
});

test("gemma3's layers alternate, and rope scaling applies only to global attention", () => {
  const config = parseDecoderConfig(gemma3);
  expect(config).toMatchObject({
    modelType: "gemma3_text",
    heads: 8,
    keyValueHeads: 4,
    headSize: 256,
    vocabularySize: 262_208,
    tiedEmbeddings: true,
    ropeTheta: 1e6,
    ropeScaling: { type: "linear", factor: 8 },
    localRopeTheta: 10_000,
    slidingWindow: 1024,
    queryScalar: 256,
  });
  const whole = config.layerKinds!.flatMap((kind, layer) => (kind === "attention" ? [layer] : []));
  expect(whole).toEqual([5, 11, 17, 23, 29]);
  expect(new Set(config.layerKinds)).toEqual(new Set(["attention", "sliding"]));
});

test("gemma3's rope parameters are read by layer type, as transformers 5 nests them", () => {
  const { rope_theta, rope_local_base_freq, rope_scaling, sliding_window_pattern, ...rest } =
    gemma3Text;
  expect([rope_scaling, sliding_window_pattern]).toEqual([null, 6]);
  const nested = {
    ...rest,
    layer_types: Array.from({ length: 26 }, (_, i) =>
      i % 6 === 5 ? "full_attention" : "sliding_attention",
    ),
    rope_parameters: {
      full_attention: { rope_theta, rope_type: "default" },
      sliding_attention: { rope_theta: rope_local_base_freq, rope_type: "default" },
    },
  };
  expect(parseDecoderConfig(nested)).toEqual(parseDecoderConfig(gemma3Text));
});

test("smollm3 has no rotary positions in every fourth layer, or where the config says so", () => {
  const kinds = parseDecoderConfig(smollm3).layerKinds!;
  expect(kinds.filter((kind) => kind === "unrotated").length).toBe(9);
  expect(kinds.slice(0, 4)).toEqual(["attention", "attention", "attention", "unrotated"]);
  const none = { ...smollm3, no_rope_layers: Array<number>(36).fill(1) };
  expect(parseDecoderConfig(none).layerKinds).not.toContain("unrotated");
});

test("lfm2's feed-forward size is adjusted as in transformers", () => {
  expect(parseDecoderConfig(lfm2).feedForwardSize).toBe(4608);
  const plain = { ...lfm2, block_auto_adjust_ff_dim: false };
  expect(parseDecoderConfig(plain).feedForwardSize).toBe(6656);
  const unscaled = { ...lfm2, block_ffn_dim_multiplier: null };
  expect(parseDecoderConfig(unscaled).feedForwardSize).toBe(4437);
});

const refusals: [object, string, object][] = [
  [qwen2, "use_sliding_window", { use_sliding_window: true }],
  [gemma3Text, "final_logit_softcapping", { final_logit_softcapping: 30 }],
  [gemma3Text, "attn_logit_softcapping", { attn_logit_softcapping: 50 }],
  [gemma3Text, "use_bidirectional_attention", { use_bidirectional_attention: true }],
  [gemma3Text, "hidden_activation", { hidden_activation: "gelu" }],
  [gemma3Text, "layer_types", { layer_types: ["full_attention"] }],
  [gemma3, "text_config", { text_config: null }],
  [smollm3, "no_rope_layers", { no_rope_layers: [1, 0] }],
  [smollm3, "use_sliding_window", { use_sliding_window: true }],
  [smollm3, "rope_scaling.rope_type", { rope_scaling: { rope_type: "yarn", factor: 2 } }],
  [lfm2, "conv_bias", { conv_bias: true }],
  [lfm2, "full_attn_idxs", { full_attn_idxs: 3 }],
  [lfm2, "conv_L_cache", { conv_L_cache: 1.5 }],
];
test.each(refusals)("%o: an unsupported %s is refused by name", (base, name, change) => {
  let error: unknown;
  try {
    parseDecoderConfig({ ...base, ...change });
  } catch (caught) {
    error = caught;
  }
  expect(WaggleError.is(error, "MODEL_UNSUPPORTED")).toBe(true);
  expect((error as Error).message).toContain(name);
});

test("lfm2's states are keys and values, which grow, and inputs of convolutions, which do not", () => {
  const states = decoderStates(parseDecoderConfig(lfm2), "f16");
  expect(states.length).toBe(6 * 2 + 10);
  expect(states[0]).toEqual({
    layer: 0,
    past: "past_conv.0",
    present: "present_conv.0",
    dtype: "f16",
    rowShape: [2, 1024],
    window: null,
  });
  expect(states[2]).toMatchObject({ past: "past_key_values.2.key", present: "present.2.key" });
  expect(states.map(hasPositions).filter(Boolean).length).toBe(12);
  expect(stateShape(states[2]!, 4, 100)).toEqual([4, 8, 100, 64]);
  expect(stateShape(states[0]!, 4, 100)).toEqual([4, 2, 1024]);
});

test("the state of a sliding layer has its window", () => {
  const states = decoderStates(parseDecoderConfig(gemma3Text), "f32");
  expect(states.slice(8, 12).map(({ window }) => window)).toEqual([512, 512, null, null]);
});

test("adapters cover every linear of a layer, including convolutions", () => {
  const config: DecoderConfig = {
    ...parseDecoderConfig(lfm2),
    width: 8,
    feedForwardSize: 6,
    vocabularySize: 5,
  };
  expect(layerLinears(config, 0).map(({ name }) => name.replace("model.layers.0.", ""))).toEqual([
    "conv.in_proj",
    "conv.out_proj",
    "feed_forward.w1",
    "feed_forward.w3",
    "feed_forward.w2",
  ]);
  const adapter = initializeAdapter(config, { rank: 1, alpha: 1, seed: 1 });
  const weights = initializeDecoder(config, 2);
  expect(mergeAdapter(config, weights, adapter)).toEqual(weights);
  expect(adapterConfigJson(adapter, config)["target_modules"]).toEqual([
    "in_proj",
    "out_proj",
    "w1",
    "w3",
    "w2",
    "q_proj",
    "k_proj",
    "v_proj",
  ]);
});
