/**
 * Writes a decoder as a GGUF file for llama.cpp, with placeholder words instead of a tokenizer. For tests and benchmarks, not a
 * converter.
 * Source: the GGUF specification (version 3) of the ggml project; tensor names and the order of
 * query and key rows as llama.cpp's own converter makes them.
 */
import { ropeFrequencies } from "../../../packages/model/src/decoder/rope.ts";
import type { DecoderConfig } from "@waggle/model";
import type { Tensor, TensorMap } from "@waggle/protocol";
import { GGML_CODE, ggmlBlocks, ggmlBytes } from "./gguf-blocks.ts";
import type { GgmlType } from "./gguf-blocks.ts";
import { ggufWord } from "./gguf-words.ts";

type Value =
  | { u32: number }
  | { f32: number }
  | { flag: boolean }
  | { text: string }
  | { texts: string[] }
  | { i32s: number[] };

const ALIGNMENT = 32;
/** GGUF's codes of value types. */
const TYPE = { u32: 4, i32: 5, f32: 6, flag: 7, text: 8, array: 9 } as const;

/** The bytes of the GGUF file in float32. */
export function writeGguf(config: DecoderConfig, weights: TensorMap): Uint8Array {
  const file = new Bytes();
  for (const part of ggufParts(config, weights, "f32")) file.raw(part);
  return file.finish();
}

/**
 * The same in parts, so that a large file is never in memory as a whole.
 * @param format - of the matrices. The vocabulary's stay at 8 bits in a file of 4, as in this project's int4; llama.cpp's own
 *   files have about 6.6 there.
 */
export function* ggufParts(
  config: DecoderConfig,
  weights: TensorMap,
  format: GgmlType,
): Generator<Uint8Array> {
  const tensors = [...ggufTensors(config, weights)].map(
    ([name, tensor]) => ({ name, tensor, type: typeOf(name, tensor, format) }) as const,
  );
  const metadata = Object.entries(ggufMetadata(config));
  const head = new Bytes();
  head.raw(new TextEncoder().encode("GGUF"));
  head.u32(3);
  head.u64(tensors.length);
  head.u64(metadata.length);
  for (const [key, value] of metadata) {
    head.text(key);
    head.value(value);
  }
  let offset = 0;
  for (const { name, tensor, type } of tensors) {
    head.text(name);
    head.u32(tensor.shape.length);
    for (const dim of tensor.shape.toReversed()) head.u64(dim); // innermost first
    head.u32(GGML_CODE[type]);
    head.u64(offset);
    const size = ggmlBytes(type, tensor.data.length);
    offset += size + padding(size);
  }
  head.pad();
  yield head.finish();
  for (const { tensor, type } of tensors) {
    const bytes = ggmlBlocks(type, tensor.data);
    yield bytes;
    if (padding(bytes.length) > 0) yield new Uint8Array(padding(bytes.length));
  }
}

function typeOf(name: string, { shape }: Tensor, format: GgmlType): GgmlType {
  if (shape.length < 2 || format === "f32") return "f32";
  return /^(token_embd|output)\./.test(name) ? "q8_0" : format;
}

function padding(size: number): number {
  return (ALIGNMENT - (size % ALIGNMENT)) % ALIGNMENT;
}

/** llama.cpp's name of the architecture. */
function architectureName({ modelType }: DecoderConfig): string {
  return modelType === "gemma3_text" ? "gemma3" : modelType;
}

function ggufMetadata(config: DecoderConfig): { [key: string]: Value } {
  const arch = architectureName(config);
  const tokens = Array.from({ length: config.vocabularySize }, (_, id) =>
    ggufWord(id).replace(" ", "Ġ"),
  );
  return {
    "general.architecture": { text: arch },
    [`${arch}.context_length`]: { u32: config.contextLength },
    [`${arch}.embedding_length`]: { u32: config.width },
    [`${arch}.block_count`]: { u32: config.layers },
    [`${arch}.feed_forward_length`]: { u32: config.feedForwardSize },
    [`${arch}.attention.head_count`]: { u32: config.heads },
    [`${arch}.attention.head_count_kv`]: { u32: config.keyValueHeads },
    [`${arch}.attention.key_length`]: { u32: config.headSize },
    [`${arch}.attention.value_length`]: { u32: config.headSize },
    [`${arch}.attention.layer_norm_rms_epsilon`]: { f32: config.rmsNormEpsilon },
    [`${arch}.rope.dimension_count`]: { u32: config.headSize },
    [`${arch}.rope.freq_base`]: { f32: config.ropeTheta },
    [`${arch}.vocab_size`]: { u32: config.vocabularySize },
    ...ownMetadata(config, arch),
    // llama.cpp finds whole words without merges under this name only.
    "tokenizer.ggml.model": { text: "gpt2" },
    "tokenizer.ggml.pre": { text: "llama-bpe" },
    "tokenizer.ggml.tokens": { texts: tokens },
    "tokenizer.ggml.token_type": { i32s: tokens.map(() => 1) },
    "tokenizer.ggml.merges": { texts: ["a a"] },
    "tokenizer.ggml.bos_token_id": { u32: 0 },
    "tokenizer.ggml.eos_token_id": { u32: 1 },
    "tokenizer.ggml.add_bos_token": { flag: false },
  };
}

function ownMetadata(config: DecoderConfig, arch: string): { [key: string]: Value } {
  const { modelType, ropeScaling, layerKinds, keyValueHeads } = config;
  if (modelType === "gemma3_text") {
    return {
      [`${arch}.attention.sliding_window`]: { u32: config.slidingWindow! },
      [`${arch}.rope.freq_base_swa`]: { f32: config.localRopeTheta! },
      ...(ropeScaling?.type === "linear"
        ? {
            [`${arch}.rope.scaling.type`]: { text: "linear" },
            [`${arch}.rope.scaling.factor`]: { f32: ropeScaling.factor },
          }
        : {}),
    };
  }
  if (modelType === "lfm2") {
    return {
      // A layer without keys is a convolution.
      [`${arch}.attention.head_count_kv`]: {
        i32s: layerKinds!.map((kind) => (kind === "convolution" ? 0 : keyValueHeads)),
      },
      [`${arch}.shortconv.l_cache`]: { u32: config.convolutionSize! },
    };
  }
  return {};
}

const LAYER_NAMES: { [name: string]: string } = {
  "input_layernorm": "attn_norm",
  "operator_norm": "attn_norm",
  "self_attn.q_proj": "attn_q",
  "self_attn.k_proj": "attn_k",
  "self_attn.v_proj": "attn_v",
  "self_attn.o_proj": "attn_output",
  "self_attn.out_proj": "attn_output",
  "self_attn.q_norm": "attn_q_norm",
  "self_attn.k_norm": "attn_k_norm",
  "self_attn.q_layernorm": "attn_q_norm",
  "self_attn.k_layernorm": "attn_k_norm",
  "conv.in_proj": "shortconv.in_proj",
  "conv.out_proj": "shortconv.out_proj",
  "conv.conv": "shortconv.conv",
  "post_attention_layernorm": "ffn_norm",
  "ffn_norm": "ffn_norm",
  "mlp.gate_proj": "ffn_gate",
  "mlp.up_proj": "ffn_up",
  "mlp.down_proj": "ffn_down",
  "feed_forward.w1": "ffn_gate",
  "feed_forward.w3": "ffn_up",
  "feed_forward.w2": "ffn_down",
};
/** Names that have another role in gemma3. */
const GEMMA3_NAMES: { [name: string]: string } = {
  "post_attention_layernorm": "post_attention_norm",
  "pre_feedforward_layernorm": "ffn_norm",
  "post_feedforward_layernorm": "post_ffw_norm",
};
const OTHER_NAMES: { [name: string]: string } = {
  "model.embed_tokens.weight": "token_embd.weight",
  "model.norm.weight": "output_norm.weight",
  "model.embedding_norm.weight": "token_embd_norm.weight",
  "lm_head.weight": "output.weight",
};

function ggufTensors(config: DecoderConfig, weights: TensorMap): Map<string, Tensor> {
  const tensors = new Map<string, Tensor>();
  const isGemma = config.modelType === "gemma3_text";
  // llama.cpp rotates neighbors in these architectures and halves in the others.
  const isPaired = config.modelType === "llama" || config.modelType === "smollm3";
  for (const [name, tensor] of weights) {
    const layer = /^model\.layers\.(\d+)\.(.+)\.(weight|bias)$/.exec(name);
    if (!layer) {
      tensors.set(OTHER_NAMES[name]!, isGemma && name.includes("norm") ? plusOne(tensor) : tensor);
      continue;
    }
    const [, index, part, kind] = layer as unknown as [string, string, string, string];
    const own = (isGemma ? GEMMA3_NAMES[part] : undefined) ?? LAYER_NAMES[part]!;
    const target = `blk.${index}.${own}.${kind}`;
    if (isPaired && (own === "attn_q" || own === "attn_k")) {
      tensors.set(target, pairRows(config, tensor));
    } else if (isGemma && part.includes("norm")) {
      // llama.cpp divides scores by the root of the head size; the query's norm compensates for it.
      const ratio = Math.sqrt(config.headSize / config.queryScalar!);
      tensors.set(target, plusOne(tensor, own === "attn_q_norm" ? ratio : 1));
    } else if (part === "conv.conv") {
      const [channels, , taps] = tensor.shape as [number, number, number];
      tensors.set(target, { shape: [channels, taps], data: tensor.data });
    } else tensors.set(target, tensor);
  }
  if (config.ropeScaling?.type === "llama3") {
    const scaled = ropeFrequencies(config);
    const plain = ropeFrequencies({ ...config, ropeScaling: null });
    const factors = Float32Array.from(plain, (frequency, i) => frequency / scaled[i]!);
    tensors.set("rope_freqs.weight", { shape: [factors.length], data: factors });
  }
  return tensors;
}

/** gemma3 stores its norms as offsets from one. */
function plusOne({ shape, data }: Tensor, factor = 1): Tensor {
  return { shape, data: data.map((value) => (1 + value) * factor) };
}

/** Interleaves the rows of the two halves of a head. */
function pairRows(config: DecoderConfig, { shape, data }: Tensor): Tensor {
  const [rows, columns] = shape as [number, number];
  const half = config.headSize / 2;
  const paired = new Float32Array(data.length);
  for (let row = 0; row < rows; row++) {
    const within = row % config.headSize;
    const source = row - within + (within % 2) * half + Math.floor(within / 2);
    paired.set(data.subarray(source * columns, (source + 1) * columns), row * columns);
  }
  return { shape, data: paired };
}

class Bytes {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  raw(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  #number(bytes: number, set: (view: DataView) => void): void {
    const buffer = new ArrayBuffer(bytes);
    set(new DataView(buffer));
    this.raw(new Uint8Array(buffer));
  }

  u32(value: number): void {
    this.#number(4, (view) => view.setUint32(0, value, true));
  }

  u64(value: number): void {
    this.#number(8, (view) => view.setBigUint64(0, BigInt(value), true));
  }

  text(text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.u64(bytes.length);
    this.raw(bytes);
  }

  value(value: Value): void {
    if ("u32" in value) {
      this.u32(TYPE.u32);
      this.u32(value.u32);
    } else if ("f32" in value) {
      this.u32(TYPE.f32);
      this.#number(4, (view) => view.setFloat32(0, value.f32, true));
    } else if ("flag" in value) {
      this.u32(TYPE.flag);
      this.raw(Uint8Array.of(value.flag ? 1 : 0));
    } else if ("text" in value) {
      this.u32(TYPE.text);
      this.text(value.text);
    } else {
      const items = "texts" in value ? value.texts : value.i32s;
      this.u32(TYPE.array);
      this.u32("texts" in value ? TYPE.text : TYPE.i32);
      this.u64(items.length);
      for (const item of items) {
        if (typeof item === "string") this.text(item);
        else this.u32(item);
      }
    }
  }

  pad(): void {
    this.raw(new Uint8Array(padding(this.#length)));
  }

  finish(): Uint8Array {
    const bytes = new Uint8Array(this.#length);
    let offset = 0;
    for (const part of this.#parts) {
      bytes.set(part, offset);
      offset += part.length;
    }
    return bytes;
  }
}
