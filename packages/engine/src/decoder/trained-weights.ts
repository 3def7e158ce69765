/**
 * The trained parameters and the weights that graphs read: either the same weights (`full`), or
 * frozen weights merged with an adapter (`lora`).
 *
 * With `lora` graphs see W' = W + s·B·A, merged again when the adapter changed or another one was
 * used, and return the gradient of W'. As dA = s·Bᵀ·dW' and dB = s·dW'·Aᵀ, it is projected once per
 * step. Compared with two thin products per token, this costs no time in the forward pass and, for
 * widths up to a few hundred, less in the backward pass. Wide models pay the memory of one W' for
 * all adapters.
 */
import { layerLinears, loraName, loraParameters, OnnxGraphBuilder } from "@waggle/model";
import type { Adapter, DecoderConfig, Linear } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { Tensor, TensorMap } from "@waggle/protocol";
import type { OnnxDevice } from "../onnx/onnx-device.ts";
import { OnnxGraph } from "../onnx/onnx-graph.ts";
import type { ResidentTensors } from "../onnx/resident-tensors.ts";

export interface TrainedWeights {
  /** The trained parameters, updated in place by the optimizer. */
  readonly parameters: TensorMap;
  /** The weights that graphs read, brought up to date: the same arrays every time. */
  effective(): Promise<TensorMap>;
  /** Gradients of parameters from gradients of effective weights; linear in them. */
  project(gradients: ReadonlyMap<string, Float32Array>): Promise<ReadonlyMap<string, Float32Array>>;
  /** Must be called after the parameters changed. */
  changed(): Promise<void>;
  /** Frees only what is not shared. */
  dispose(): Promise<void>;
}

/** All parameters are trained; gradients and weights are used as they are. */
export function createFullWeights(
  weights: TensorMap,
  resident: ResidentTensors | null,
): TrainedWeights {
  const parameters = mapTensors(weights, (data) => data.slice());
  resident?.keep(parameters.values());
  return {
    parameters,
    effective: async () => parameters,
    project: async (gradients) => gradients,
    changed: async () => resident?.changed(parameters.values()),
    dispose: async () => resident?.drop(parameters.values()),
  };
}

/** Frozen weights with one merged copy of their linears, which holds one adapter at a time. */
export class MergedBase {
  /** Names of the merged weights, whose gradients are needed. */
  readonly wanted: ReadonlySet<string>;
  readonly #config: DecoderConfig;
  readonly #frozen: TensorMap;
  readonly #effective: TensorMap;
  readonly #merge: OnnxGraph;
  readonly #projection: OnnxGraph;
  readonly #resident: ResidentTensors | null;
  /** Parameters currently merged into `#effective`. */
  #shown: TensorMap | null = null;

  private constructor(
    config: DecoderConfig,
    weights: TensorMap,
    graphs: { readonly merge: OnnxGraph; readonly projection: OnnxGraph },
    resident: ResidentTensors | null,
  ) {
    this.#config = config;
    this.#resident = resident;
    this.wanted = new Set(allLinears(config).map(({ name }) => `${name}.weight`));
    this.#frozen = new Map([...weights].filter(([name]) => this.wanted.has(name)));
    this.#effective = mapTensors(weights, (data, name) =>
      this.wanted.has(name) ? data.slice() : data,
    );
    resident?.keep([...this.#frozen.values(), ...this.#effective.values()]);
    this.#merge = graphs.merge;
    this.#projection = graphs.projection;
  }

  static async create(
    config: DecoderConfig,
    weights: TensorMap,
    device: OnnxDevice,
  ): Promise<MergedBase> {
    const linears = allLinears(config);
    const graphs = {
      merge: await OnnxGraph.create(mergeGraph(linears), device),
      projection: await OnnxGraph.create(projectionGraph(linears), device),
    };
    return new MergedBase(config, weights, graphs, device.resident);
  }

  /**
   * Trains A and B of the adapter over the frozen base.
   * @throws WaggleError `ADAPTER_INCOMPATIBLE` when the adapter is for another decoder.
   */
  adapted(adapter: Adapter): TrainedWeights {
    const parameters = adapterParameters(this.#config, adapter);
    const scale = scaleFeed(adapter);
    this.#resident?.keep(parameters.values());
    return {
      parameters,
      effective: async () => {
        if (this.#shown !== parameters) await this.#show(parameters, scale);
        return this.#effective;
      },
      changed: async () => {
        if (this.#shown === parameters) this.#shown = null;
        await this.#resident?.changed(parameters.values());
      },
      dispose: async () => this.#resident?.drop(parameters.values()),
      project: async (gradients) => {
        if (gradients.size === 0) return gradients;
        const feeds = new Map<string, Tensor>([...parameters, [LORA_SCALE, scale]]);
        for (const name of this.wanted) {
          const { shape, data } = this.#effective.get(name) as Tensor;
          feeds.set(name, { shape, data: gradients.get(name) ?? new Float32Array(data.length) });
        }
        const outputs = await this.#projection.run(feeds);
        return new Map(
          Array.from(parameters.keys(), (name) => [
            name,
            outputs.get(`gradient:${name}`) as Float32Array,
          ]),
        );
      },
    };
  }

  async dispose(): Promise<void> {
    await this.#merge.dispose();
    await this.#projection.dispose();
  }

  async #show(parameters: TensorMap, scale: Tensor): Promise<void> {
    this.#shown = null;
    const merged = await this.#merge.run(
      new Map([...this.#frozen, ...parameters, [LORA_SCALE, scale]]),
    );
    for (const name of this.wanted) {
      const tensor = this.#effective.get(name) as Tensor;
      tensor.data.set(merged.get(`merged:${name}`) as Float32Array);
      await this.#resident?.changed([tensor]);
    }
    this.#shown = parameters;
  }
}

/** Input `[1]` of graphs that serve adapters of any rank and alpha: alpha / rank. */
export const LORA_SCALE = "loraScale";
/** Name of the size that is the adapter's rank, known only when a graph runs. */
export const LORA_RANK = "R";

/** The tensor for `LORA_SCALE`. */
export function scaleFeed({ alpha, rank }: Pick<Adapter, "alpha" | "rank">): Tensor {
  return { shape: [1], data: Float32Array.of(alpha / rank) };
}

function allLinears(config: DecoderConfig): Linear[] {
  return Array.from({ length: config.layers }, (_, layer) => layerLinears(config, layer)).flat();
}

/** W' = W + (scale·B)·A for every linear. */
function mergeGraph(linears: readonly Linear[]): Uint8Array {
  const builder = new OnnxGraphBuilder();
  builder.input(LORA_SCALE, "f32", [1]);
  for (const { name, inputSize, outputSize } of linears) {
    const { a, b, weight } = linearInputs(builder, { name, inputSize, outputSize });
    const merged = `merged:${weight}`;
    builder.node("Gemm", [builder.op("Mul", [b, LORA_SCALE]), a, weight], { outputs: [merged] });
    builder.output(merged, "f32", [outputSize, inputSize]);
  }
  return builder.build();
}

/** dA = scale·(Bᵀ·dW'), dB = scale·(dW'·Aᵀ) for every linear; the input dW' has the weight's name. */
function projectionGraph(linears: readonly Linear[]): Uint8Array {
  const builder = new OnnxGraphBuilder();
  builder.input(LORA_SCALE, "f32", [1]);
  for (const linear of linears) {
    const { a, b, weight } = linearInputs(builder, linear);
    const output = (
      name: string,
      inputs: readonly [string, string],
      transpose: "transA" | "transB",
      shape: readonly (number | string)[],
    ): void => {
      const product = builder.op("Gemm", inputs, { attributes: { [transpose]: 1 } });
      builder.node("Mul", [product, LORA_SCALE], { outputs: [`gradient:${name}`] });
      builder.output(`gradient:${name}`, "f32", shape);
    };
    output(a, [b, weight], "transA", [LORA_RANK, linear.inputSize]);
    output(b, [weight, a], "transB", [linear.outputSize, LORA_RANK]);
  }
  return builder.build();
}

function linearInputs(
  builder: OnnxGraphBuilder,
  { name, inputSize, outputSize }: Linear,
): { readonly a: string; readonly b: string; readonly weight: string } {
  return {
    a: builder.input(loraName(name, "A"), "f32", [LORA_RANK, inputSize]),
    b: builder.input(loraName(name, "B"), "f32", [outputSize, LORA_RANK]),
    weight: builder.input(`${name}.weight`, "f32", [outputSize, inputSize]),
  };
}

/**
 * Copies of the adapter's tensors in their stable order; training writes into them.
 * @throws WaggleError `ADAPTER_INCOMPATIBLE` when it is for another decoder.
 */
export function adapterParameters(config: DecoderConfig, adapter: Adapter): TensorMap {
  const tensors = new Map<string, Tensor>();
  for (const { name, shape } of loraParameters(config, adapter.rank)) {
    const tensor = adapter.tensors.get(name);
    if (tensor === undefined || tensor.shape.join() !== shape.join()) {
      throw new WaggleError(
        "ADAPTER_INCOMPATIBLE",
        `${name} must have shape [${shape.join(", ")}], got ${tensor ? `[${tensor.shape.join(", ")}]` : "nothing"}; use an adapter of this base model`,
      );
    }
    tensors.set(name, { shape: tensor.shape, data: tensor.data.slice() });
  }
  return tensors;
}

/** Maps the data of tensors, keeping names and shapes. */
export function mapTensors(
  tensors: TensorMap,
  map: (data: Float32Array, name: string) => Float32Array,
): TensorMap {
  return new Map(
    Array.from(tensors, ([name, { shape, data }]): [string, Tensor] => [
      name,
      { shape, data: map(data, name) },
    ]),
  );
}
