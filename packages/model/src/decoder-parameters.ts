/** Names, shapes and initial values of a decoder's parameters. Names are Hugging Face's. */
import { WaggleError } from "@waggle/protocol";
import type { Tensor, TensorMap } from "@waggle/protocol";
import type { DecoderConfig } from "./decoder-config.ts";
import { seededRandom } from "./random.ts";

export type ParameterShape = { readonly name: string; readonly shape: readonly number[] };

/** One matrix product of a layer: `y = x · weightᵀ`, weight `[out, in]`. */
export type Linear = {
  /** Name without `.weight`: `model.layers.0.self_attn.q_proj`. */
  readonly name: string;
  readonly inputSize: number;
  readonly outputSize: number;
};

/** Standard deviation of initial matrices, as both model families set it. */
const INITIAL_DEVIATION = 0.02;

/** The seven linears of a layer, in the order of computation. */
export function layerLinears(config: DecoderConfig, layer: number): Linear[] {
  const prefix = `model.layers.${layer}`;
  const { width, feedForwardSize } = config;
  const querySize = config.heads * config.headSize;
  const keySize = config.keyValueHeads * config.headSize;
  const linear = (name: string, inputSize: number, outputSize: number): Linear => ({
    name: `${prefix}.${name}`,
    inputSize,
    outputSize,
  });
  return [
    linear("self_attn.q_proj", width, querySize),
    linear("self_attn.k_proj", width, keySize),
    linear("self_attn.v_proj", width, keySize),
    linear("self_attn.o_proj", querySize, width),
    linear("mlp.gate_proj", width, feedForwardSize),
    linear("mlp.up_proj", width, feedForwardSize),
    linear("mlp.down_proj", feedForwardSize, width),
  ];
}

/** Every parameter, in a stable order. Linears are `[out, in]`, the embedding `[V, C]`. */
export function decoderParameters(config: DecoderConfig): ParameterShape[] {
  const { width, headSize } = config;
  const parameters: ParameterShape[] = [
    { name: "model.embed_tokens.weight", shape: [config.vocabularySize, width] },
  ];
  for (let layer = 0; layer < config.layers; layer++) {
    const prefix = `model.layers.${layer}`;
    parameters.push({ name: `${prefix}.input_layernorm.weight`, shape: [width] });
    for (const { name, inputSize, outputSize } of layerLinears(config, layer)) {
      parameters.push({ name: `${name}.weight`, shape: [outputSize, inputSize] });
    }
    if (config.modelType === "qwen3") {
      parameters.push({ name: `${prefix}.self_attn.q_norm.weight`, shape: [headSize] });
      parameters.push({ name: `${prefix}.self_attn.k_norm.weight`, shape: [headSize] });
    }
    parameters.push({ name: `${prefix}.post_attention_layernorm.weight`, shape: [width] });
  }
  parameters.push({ name: "model.norm.weight", shape: [width] });
  if (!config.tiedEmbeddings) {
    parameters.push({ name: "lm_head.weight", shape: [config.vocabularySize, width] });
  }
  return parameters;
}

/** How many numbers the parameters hold. */
export function parameterCount(config: DecoderConfig): number {
  return decoderParameters(config).reduce((sum, { shape }) => sum + elementCount(shape), 0);
}

/** Fresh weights: matrices normal with deviation 0.02, norms 1. The same seed gives the same bits. */
export function initializeDecoder(config: DecoderConfig, seed: number): TensorMap {
  const random = seededRandom(seed);
  const weights = new Map<string, Tensor>();
  for (const { name, shape } of decoderParameters(config)) {
    const data = new Float32Array(elementCount(shape));
    for (let i = 0; i < data.length; i++) {
      data[i] = shape.length === 1 ? 1 : random.normal() * INITIAL_DEVIATION;
    }
    weights.set(name, { shape, data });
  }
  return weights;
}

/**
 * The parameters of `config` out of a checkpoint, in the order of `decoderParameters`; tensors that
 * the decoder does not use (a stored copy of tied logits, rotary tables) are left out.
 * @throws WaggleError `MODEL_CORRUPT` where one is missing, has another shape or is not finite.
 */
export function selectDecoderWeights(config: DecoderConfig, tensors: TensorMap): TensorMap {
  const weights = new Map<string, Tensor>();
  for (const { name, shape } of decoderParameters(config)) {
    const tensor = tensors.get(name);
    if (tensor === undefined || !sameShape(tensor.shape, shape)) {
      throw new WaggleError(
        "MODEL_CORRUPT",
        `${name} must have shape [${shape.join(", ")}], got ${tensor ? `[${tensor.shape.join(", ")}]` : "nothing"}; use weights that belong to this config`,
      );
    }
    if (!tensor.data.every(Number.isFinite)) {
      throw new WaggleError(
        "MODEL_CORRUPT",
        `${name} must hold finite numbers, got NaN or infinity; use intact weights`,
      );
    }
    weights.set(name, tensor);
  }
  return weights;
}

export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, dim) => product * dim, 1);
}

export function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((dim, index) => dim === b[index]);
}
