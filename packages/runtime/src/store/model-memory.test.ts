import {
  buildDecoderGraph,
  initializeDecoder,
  parameterCount,
  parseDecoderConfig,
  tensorMapSource,
} from "@waggle/model";
import type { DecoderConfig, WeightFormat } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import { TINY_CONFIG } from "../tiny-decoder.fixture.ts";
import { assertModelFits } from "./model-fit.ts";
import { modelMemory, wasmLimits, webgpuLimits } from "./model-memory.ts";

/** Members of the published configs that determine sizes. */
const QWEN3_600M = parseDecoderConfig({
  model_type: "qwen3",
  vocab_size: 151_936,
  hidden_size: 1024,
  intermediate_size: 3072,
  num_hidden_layers: 28,
  num_attention_heads: 16,
  num_key_value_heads: 8,
  head_dim: 128,
  max_position_embeddings: 40_960,
  rope_theta: 1_000_000,
  tie_word_embeddings: true,
});
const QWEN25_500M = parseDecoderConfig({
  model_type: "qwen2",
  vocab_size: 151_936,
  hidden_size: 896,
  intermediate_size: 4864,
  num_hidden_layers: 24,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  max_position_embeddings: 32_768,
  rope_theta: 1_000_000,
  tie_word_embeddings: true,
});
const SMOLLM3_3B = parseDecoderConfig({
  model_type: "smollm3",
  vocab_size: 128_256,
  hidden_size: 2048,
  intermediate_size: 11_008,
  num_hidden_layers: 36,
  num_attention_heads: 16,
  num_key_value_heads: 4,
  max_position_embeddings: 65_536,
  rope_theta: 5_000_000,
  tie_word_embeddings: true,
});
const GEMMA3_270M = parseDecoderConfig({
  model_type: "gemma3_text",
  vocab_size: 262_144,
  hidden_size: 640,
  intermediate_size: 2048,
  num_hidden_layers: 18,
  num_attention_heads: 4,
  num_key_value_heads: 1,
  head_dim: 256,
  max_position_embeddings: 32_768,
  sliding_window: 512,
  rope_theta: 1_000_000,
  rope_local_base_freq: 10_000,
  query_pre_attn_scalar: 256,
  tie_word_embeddings: true,
});
const LFM2_350M = parseDecoderConfig({
  model_type: "lfm2",
  vocab_size: 65_536,
  hidden_size: 1024,
  intermediate_size: 6656,
  block_ff_dim: 6656,
  block_auto_adjust_ff_dim: true,
  block_ffn_dim_multiplier: 1,
  block_multiple_of: 256,
  num_hidden_layers: 16,
  num_attention_heads: 16,
  num_key_value_heads: 8,
  full_attn_idxs: [2, 5, 8, 10, 12, 14],
  conv_L_cache: 3,
  max_position_embeddings: 128_000,
  rope_theta: 1_000_000,
  tie_embedding: true,
});

describe("a published config has the published number of parameters, and so the size of its weights:", () => {
  // Counts of distinct parameters from the model cards and the files' metadata.
  test.each<[string, DecoderConfig, number]>([
    ["Qwen3-0.6B", QWEN3_600M, 596_049_920],
    ["Qwen2.5-0.5B", QWEN25_500M, 494_032_768],
    ["SmolLM3-3B", SMOLLM3_3B, 3_075_098_624],
    ["Gemma 3 270M", GEMMA3_270M, 268_098_176],
    ["LFM2-350M", LFM2_350M, 354_483_968],
  ])("%s", (_, config, parameters) => {
    expect(Math.abs(parameterCount(config) / parameters - 1)).toBeLessThan(0.01);
    const { weights } = modelMemory(config, { dtype: "f32" });
    expect(Math.abs(weights / (4 * parameters) - 1)).toBeLessThan(0.01);
    const half = modelMemory(config, { dtype: "f16" }).weights;
    expect(Math.abs(half / (2 * parameters) - 1)).toBeLessThan(0.01);
    // 8 bits, and a scale for every 32 numbers
    const bytes = modelMemory(config, { dtype: "int8" }).weights;
    expect(Math.abs(bytes / (parameters * (1 + 4 / 32)) - 1)).toBeLessThan(0.01);
  });
});

test("only layers with attention have keys and values", () => {
  // 28 layers × keys and values × 8 heads × 128 numbers × 2 bytes = 114,688 bytes a token
  const options = { dtype: "f16", contextLength: 4096 } as const;
  expect(modelMemory(QWEN3_600M, options).states).toBe(114_688 * 4096);
  expect(modelMemory(QWEN3_600M, { ...options, contexts: 8 }).states).toBe(8 * 114_688 * 4096);
  // 6 layers with attention × 2 × 8 heads × 64 numbers, and 10 convolutions of 2 × 1024 numbers
  const lfm2 = modelMemory(LFM2_350M, { dtype: "f32", contextLength: 1000 }).states;
  expect(lfm2).toBe(4 * (6 * 2 * 8 * 64 * 1000 + 10 * 2 * 1024));
});

test.each<WeightFormat>(["f32", "f16", "int8", "int4"])(
  "the weights of a graph in %s have the computed size",
  async (dtype) => {
    const config: DecoderConfig = { ...TINY_CONFIG, vocabularySize: 5000, width: 256 };
    const { model, externalData } = await buildDecoderGraph(
      config,
      tensorMapSource(initializeDecoder(config, 1)),
      { maxPositions: 8, lora: null, dtype },
    );
    const built = model.length + externalData.reduce((sum, file) => sum + file.data.length, 0);
    const { weights } = modelMemory(config, { dtype });
    expect(weights).toBeLessThanOrEqual(built);
    expect(weights / built).toBeGreaterThan(0.97);
  },
);

describe("a model that does not fit is refused", () => {
  const refusal = (config: DecoderConfig, options: Parameters<typeof modelMemory>[1]): string => {
    try {
      assertModelFits(config, options);
      return "fits";
    } catch (error) {
      return WaggleError.is(error, "MODEL_TOO_LARGE") ? error.message : String(error);
    }
  };
  const wasm = wasmLimits();

  test("with its size, the limit, and the format that would fit", () => {
    expect(refusal(QWEN3_600M, { dtype: "f32", contextLength: 4096, limits: wasm })).toMatch(
      /^the model needs 5\.\d GB as f32 with a context of 4096, the limit is 3\.8 GB \(WebAssembly's memory\); int8 \(1\.\d GB\) fits$/,
    );
    expect(refusal(QWEN3_600M, { dtype: "int8", contextLength: 4096, limits: wasm })).toBe("fits");
    expect(refusal(GEMMA3_270M, { dtype: "f32", contextLength: 4096, limits: wasm })).toBe("fits");
  });

  test("with a suggestion of a shorter context if that helps", () => {
    const options = { dtype: "int4", contextLength: 40_960, limits: wasm } as const;
    expect(refusal(QWEN3_600M, options)).toMatch(/; int4 with a context of 10240 fits$/);
    const tiny = { ...wasm, totalBytes: 0.5e9 };
    expect(refusal(QWEN3_600M, { ...options, limits: tiny })).toMatch(/use a smaller model$/);
  });

  test("if one matrix is larger than the device's largest buffer", () => {
    const limits = webgpuLimits({
      maxBufferSize: 2 ** 30,
      maxStorageBufferBindingSize: 128 * 2 ** 20,
      hasFloat16: true,
    });
    const options = { dtype: "f16", contextLength: 1024, limits } as const;
    expect(refusal(QWEN3_600M, options)).toMatch(
      /^the model needs 297 MB as f16 .* the limit is 128 MB \(the device's largest buffer\)/,
    );
    const large = { ...limits, bufferBytes: 2 ** 30 };
    expect(refusal(QWEN3_600M, { ...options, limits: large })).toBe("fits");
  });

  test("if the machine is small", () => {
    expect(wasmLimits(8)).toEqual(wasm);
    expect(wasmLimits(2).totalBytes).toBeLessThan(wasm.totalBytes);
    const options = { dtype: "f32", contextLength: 2048, limits: wasmLimits(2) } as const;
    expect(refusal(QWEN3_600M, options)).toContain("a page's share of 2 GB");
  });

  test("counting quantized weights as float32 if they are expanded", () => {
    const parameters = parameterCount(GEMMA3_270M);
    const limits = wasmLimits(6);
    const options = { dtype: "int4", contextLength: 512, limits } as const;
    const { weights, total } = modelMemory(GEMMA3_270M, options);
    expect(Math.abs(weights / (4 * parameters) - 1)).toBeLessThan(0.01);
    expect(refusal(GEMMA3_270M, options)).toBe("fits");
    const less = { ...options, limits: { ...limits, totalBytes: total - 1 } };
    expect(refusal(GEMMA3_270M, less)).toMatch(/^the model needs .* as int4 /);
    // They exceed a fifth of 4 GB, and a GPU computes with the stored format.
    const onPhone = { ...options, limits: wasmLimits(4) };
    const small = modelMemory(GEMMA3_270M, onPhone);
    expect(refusal(GEMMA3_270M, onPhone)).toBe("fits");
    expect(small.weights).toBeLessThan(1.2 * parameters);
    const adapter = { maxBufferSize: 2 ** 30, maxStorageBufferBindingSize: 2 ** 30 };
    const gpu = webgpuLimits({ ...adapter, hasFloat16: false }, 4);
    expect(modelMemory(GEMMA3_270M, { ...options, limits: gpu }).weights).toBe(small.weights);
    expect(modelMemory(GEMMA3_270M, { dtype: "int4" }).weights).toBe(small.weights);
    expect(modelMemory(QWEN3_600M, options).weights).toBeLessThan(1.2 * 596_049_920);
  });

  test("counting what WebAssembly's heap keeps from loading, and nothing of the kind on a GPU", () => {
    const options = { dtype: "f32", contextLength: 512 } as const;
    const { weights, states, scratch, total, loading } = modelMemory(GEMMA3_270M, {
      ...options,
      limits: wasm,
    });
    expect(total).toBe(weights + states + scratch + loading);
    expect(total).toBeGreaterThan(2.5 * weights);
    expect(total).toBeLessThan(2.7 * weights);
    expect(modelMemory(GEMMA3_270M, options).loading).toBe(0);
  });

  test("and without limits nothing is refused", () => {
    expect(refusal(SMOLLM3_3B, { dtype: "f32" })).toBe("fits");
  });
});
