/**
 * LoRA adapters in PEFT's layout: two matrices for each linear of each layer.
 * Source: Hu et al. 2021, LoRA, arXiv 2106.09685, section 4.1; file layout of the PEFT project.
 */
import { WaggleError, splitmix32 } from "@waggle/protocol";
import type { Tensor, TensorMap } from "@waggle/protocol";
import type { DecoderConfig } from "../decoder/decoder-config.ts";
import { layerLinears } from "../decoder/decoder-parameters.ts";
import type { Linear } from "../decoder/decoder-parameters.ts";
import type { ParameterShape } from "../parameter-shape.ts";
import { readSafetensors, writeSafetensors } from "../files/safetensors.ts";
import { elementCount, sameShape } from "../shape.ts";

/** Adds B·A·alpha/rank to each linear; A `[r, in]`, B `[out, r]`, under PEFT's names. */
export type Adapter = {
  readonly rank: number;
  readonly alpha: number;
  readonly tensors: TensorMap;
};

/** PEFT's name of a linear's A or B. */
export function loraName(linear: string, side: "A" | "B"): string {
  return `base_model.model.${linear}.lora_${side}.weight`;
}

/** Names and shapes of an adapter's tensors: A before B, linears in the order of computation. */
export function loraParameters(config: DecoderConfig, rank: number): ParameterShape[] {
  if (!Number.isInteger(rank) || rank < 1) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `an adapter's rank must be a positive integer, got ${rank}; choose 4 to 64`,
    );
  }
  return allLinears(config).flatMap(({ name, inputSize, outputSize }) => [
    { name: loraName(name, "A"), shape: [rank, inputSize] },
    { name: loraName(name, "B"), shape: [outputSize, rank] },
  ]);
}

/** A fresh adapter, which changes nothing: A Kaiming-uniform as in PEFT, B zero. Seeded. */
export function initializeAdapter(
  config: DecoderConfig,
  options: { readonly rank: number; readonly alpha: number; readonly seed: number },
): Adapter {
  const random = splitmix32(options.seed);
  const tensors = new Map<string, Tensor>();
  for (const { name, shape } of loraParameters(config, options.rank)) {
    const data = new Float32Array(elementCount(shape));
    if (name.endsWith("lora_A.weight")) {
      // Kaiming-uniform with slope √5 is uniform in ±1/√fan-in
      const bound = 1 / Math.sqrt(shape[1] as number);
      for (let i = 0; i < data.length; i++) data[i] = (2 * random() - 1) * bound;
    }
    tensors.set(name, { shape, data });
  }
  return { rank: options.rank, alpha: options.alpha, tensors };
}

/** The members of PEFT's `adapter_config.json`. */
export function adapterConfigJson(
  adapter: Pick<Adapter, "rank" | "alpha">,
  config: DecoderConfig,
): { readonly [key: string]: unknown } {
  return {
    peft_type: "LORA",
    task_type: "CAUSAL_LM",
    r: adapter.rank,
    lora_alpha: adapter.alpha,
    lora_dropout: 0,
    bias: "none",
    fan_in_fan_out: false,
    use_rslora: false,
    use_dora: false,
    // the last part of each linear's name, which PEFT matches
    target_modules: [...new Set(allLinears(config).map(({ name }) => name.replace(/^.*\./, "")))],
  };
}

/** `adapter_model.safetensors`, with `adapter_config.json` in its metadata. */
export function writeAdapter(
  adapter: Adapter,
  config: DecoderConfig,
  dtype: "F32" | "F16" | "BF16" = "F32",
): Uint8Array {
  const metadata = {
    format: "pt",
    adapter_config: JSON.stringify(adapterConfigJson(adapter, config)),
  };
  return writeSafetensors(adapterTensors(adapter.tensors, config, adapter.rank), metadata, dtype);
}

/**
 * Reads `adapter_model.safetensors` for this decoder. The publisher states rank and alpha.
 * @throws WaggleError `MODEL_CORRUPT` on broken bytes, `ADAPTER_INCOMPATIBLE` if names or shapes do not
 *   match the decoder at this rank or a number is not finite.
 */
export function readAdapter(
  bytes: Uint8Array,
  options: { readonly rank: number; readonly alpha: number },
  config: DecoderConfig,
): Adapter {
  const { rank, alpha } = options;
  return { rank, alpha, tensors: adapterTensors(readSafetensors(bytes).tensors, config, rank) };
}

/**
 * Inputs for a graph that `buildDecoderGraph` built with LoRA inputs, under PEFT's names: Aᵀ `[in,
 * r]` and Bᵀ·alpha/rank `[r, out]`, so that the graph needs neither transposes nor a scale. Smaller
 * ranks are padded with zeros; `null` gives only zeros, which change nothing.
 * @param rank the rank that the graph was built for.
 */
export function adapterGraphInputs(
  config: DecoderConfig,
  adapter: Adapter | null,
  rank: number,
): TensorMap {
  if (adapter !== null && adapter.rank > rank) {
    throw new WaggleError(
      "ADAPTER_INCOMPATIBLE",
      `the adapter's rank ${adapter.rank} is above the graph's ${rank}; build the graph for a larger rank`,
    );
  }
  const tensors = adapter && adapterTensors(adapter.tensors, config, adapter.rank);
  const inputs = new Map<string, Tensor>();
  for (const { name, inputSize, outputSize } of allLinears(config)) {
    const aTransposed = new Float32Array(inputSize * rank);
    const bTransposed = new Float32Array(rank * outputSize);
    if (adapter !== null && tensors !== null) {
      const a = (tensors.get(loraName(name, "A")) as Tensor).data;
      const b = (tensors.get(loraName(name, "B")) as Tensor).data;
      const scale = adapter.alpha / adapter.rank;
      for (let r = 0; r < adapter.rank; r++) {
        for (let i = 0; i < inputSize; i++) {
          aTransposed[i * rank + r] = a[r * inputSize + i] as number;
        }
        for (let o = 0; o < outputSize; o++) {
          bTransposed[r * outputSize + o] = scale * (b[o * adapter.rank + r] as number);
        }
      }
    }
    inputs.set(loraName(name, "A"), { shape: [inputSize, rank], data: aTransposed });
    inputs.set(loraName(name, "B"), { shape: [rank, outputSize], data: bTransposed });
  }
  return inputs;
}

/** The linears of all layers, in the order of computation. */
export function allLinears(config: DecoderConfig): Linear[] {
  return Array.from({ length: config.layers }, (_, layer) => layerLinears(config, layer)).flat();
}

/**
 * The tensors in their stable order.
 * @throws WaggleError `ADAPTER_INCOMPATIBLE` if they are not an adapter of this rank for this decoder.
 */
export function adapterTensors(tensors: TensorMap, config: DecoderConfig, rank: number): TensorMap {
  const checked = new Map<string, Tensor>();
  for (const { name, shape } of loraParameters(config, rank)) {
    const tensor = tensors.get(name);
    if (
      tensor === undefined ||
      !sameShape(tensor.shape, shape) ||
      tensor.data.length !== elementCount(shape)
    ) {
      throw incompatible(
        `${name} must have shape [${shape.join(", ")}], got ${tensor ? `[${tensor.shape.join(", ")}]` : "nothing"}`,
      );
    }
    if (!tensor.data.every(Number.isFinite)) {
      throw incompatible(`${name} has NaN or infinity`);
    }
    checked.set(name, tensor);
  }
  for (const name of tensors.keys()) {
    if (!checked.has(name)) {
      throw incompatible(`the decoder has no linear for "${name.slice(0, 200)}"`);
    }
  }
  return checked;
}

function incompatible(fact: string): WaggleError {
  return new WaggleError(
    "ADAPTER_INCOMPATIBLE",
    `${fact}; use an adapter trained on this base model`,
  );
}
