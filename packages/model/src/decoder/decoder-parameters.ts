/** Names, shapes and initial values of a decoder's parameters. Names are Hugging Face's. */
import { splitmix32, standardNormal } from "@waggle/protocol";
import type { Tensor, TensorMap } from "@waggle/protocol";
import { architectureOf } from "./architecture.ts";
import { layerKind } from "./decoder-config.ts";
import type { DecoderConfig } from "./decoder-config.ts";
import type { ParameterShape } from "../parameter-shape.ts";
import { elementCount } from "../shape.ts";
import { checkFinite, checkShape, findStored } from "../weights/weight-reader.ts";

/** Role of a parameter in the graph. `kernel`: a convolution's `[C, 1, taps]`. */
export type ParameterKind = "embedding" | "head" | "linear" | "bias" | "norm" | "kernel";

/** A parameter's name, shape and role. */
export type Parameter = ParameterShape & { readonly kind: ParameterKind };

/** One matrix product of a layer: `y = x · weightᵀ`, weight `[out, in]`. */
export type Linear = {
  /** Name without `.weight`: `model.layers.0.self_attn.q_proj`. */
  readonly name: string;
  readonly inputSize: number;
  readonly outputSize: number;
  /** Whether there is a `.bias` `[out]`. */
  readonly hasBias?: boolean;
};

/** Whether the parameter is a matrix, to which number formats apply. */
export function isMatrix({ kind }: Pick<Parameter, "kind">): boolean {
  return kind === "linear" || kind === "embedding" || kind === "head";
}

/** Standard deviation of initial matrices in the published models. */
const INITIAL_DEVIATION = 0.02;

/**
 * The linears of a layer, in the order of computation: query, key, value and output of attention or
 * the input and output of a convolution, then gate, up and down.
 */
export function layerLinears(config: DecoderConfig, layer: number): Linear[] {
  const prefix = `model.layers.${layer}`;
  const { width, feedForwardSize } = config;
  const { outputProjection, feedForward, hasAttentionBias } = architectureOf(config);
  const querySize = config.heads * config.headSize;
  const keySize = config.keyValueHeads * config.headSize;
  const linear = (name: string, inputSize: number, outputSize: number): Linear => ({
    name: `${prefix}.${name}`,
    inputSize,
    outputSize,
  });
  const biased = (name: string, inputSize: number, outputSize: number): Linear => ({
    ...linear(name, inputSize, outputSize),
    ...(hasAttentionBias ? { hasBias: true } : {}),
  });
  const mixer =
    layerKind(config, layer) === "convolution"
      ? [linear("conv.in_proj", width, 3 * width), linear("conv.out_proj", width, width)]
      : [
          biased("self_attn.q_proj", width, querySize),
          biased("self_attn.k_proj", width, keySize),
          biased("self_attn.v_proj", width, keySize),
          linear(outputProjection, querySize, width),
        ];
  return [
    ...mixer,
    linear(feedForward.gate, width, feedForwardSize),
    linear(feedForward.up, width, feedForwardSize),
    linear(feedForward.down, feedForwardSize, width),
  ];
}

/** Every parameter, in a stable order. Linears are `[out, in]`, the embedding `[V, C]`. */
export function decoderParameters(config: DecoderConfig): Parameter[] {
  const { width } = config;
  const matrix = [config.vocabularySize, width];
  const parameters: Parameter[] = [
    { kind: "embedding", name: "model.embed_tokens.weight", shape: matrix },
  ];
  for (let layer = 0; layer < config.layers; layer++) {
    parameters.push(...layerParameters(config, layer));
  }
  const { finalNorm } = architectureOf(config);
  parameters.push({ kind: "norm", name: `${finalNorm}.weight`, shape: [width] });
  if (!config.tiedEmbeddings) {
    parameters.push({ kind: "head", name: "lm_head.weight", shape: matrix });
  }
  return parameters;
}

function layerParameters(config: DecoderConfig, layer: number): Parameter[] {
  const { width, headSize } = config;
  const architecture = architectureOf(config);
  const prefix = `model.layers.${layer}`;
  const norm = (name: string, size = width): Parameter => ({
    kind: "norm",
    name: `${prefix}.${name}.weight`,
    shape: [size],
  });
  const parameters: Parameter[] = [norm(architecture.mixerNorm)];
  for (const { name, inputSize, outputSize, hasBias } of layerLinears(config, layer)) {
    parameters.push({ kind: "linear", name: `${name}.weight`, shape: [outputSize, inputSize] });
    if (hasBias) parameters.push({ kind: "bias", name: `${name}.bias`, shape: [outputSize] });
  }
  if (layerKind(config, layer) === "convolution") {
    const shape = [width, 1, config.convolutionSize as number];
    parameters.push({ kind: "kernel", name: `${prefix}.conv.conv.weight`, shape });
  } else if (architecture.headNorms !== null) {
    const { query, key } = architecture.headNorms;
    parameters.push(norm(`self_attn.${query}`, headSize), norm(`self_attn.${key}`, headSize));
  }
  parameters.push(norm(architecture.feedForwardNorm));
  if (architecture.outputNorms !== null) {
    const { mixer, feedForward } = architecture.outputNorms;
    parameters.push(norm(mixer), norm(feedForward));
  }
  return parameters;
}

/**
 * Fresh weights: matrices normal with standard deviation 0.02, norms that multiply by 1, biases 0.
 * The same seed gives the same bits.
 */
export function initializeDecoder(config: DecoderConfig, seed: number): TensorMap {
  const random = splitmix32(seed);
  const { normOffset } = architectureOf(config);
  const weights = new Map<string, Tensor>();
  for (const { kind, name, shape } of decoderParameters(config)) {
    const data = new Float32Array(elementCount(shape));
    if (kind === "norm") data.fill(1 - normOffset);
    else if (kind !== "bias") {
      for (let i = 0; i < data.length; i++) data[i] = standardNormal(random) * INITIAL_DEVIATION;
    }
    weights.set(name, { shape, data });
  }
  return weights;
}

/**
 * Selects the parameters of `config` from a checkpoint, in the order of `decoderParameters`. Leaves
 * out tensors that the decoder does not use (a stored copy of tied logits, rotary tables, an image
 * encoder). For engines; inference graphs read weights one by one.
 * @throws WaggleError `MODEL_CORRUPT` if one is missing, has another shape or is not finite.
 */
export function selectDecoderWeights(config: DecoderConfig, tensors: TensorMap): TensorMap {
  const weights = new Map<string, Tensor>();
  for (const { name, shape } of decoderParameters(config)) {
    const tensor = tensors.get(findStored(tensors, name));
    checkShape(name, shape, tensor);
    checkFinite(name, tensor.data);
    weights.set(name, tensor);
  }
  return weights;
}
