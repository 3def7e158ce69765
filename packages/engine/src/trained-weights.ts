/**
 * What is trained, and how it makes the weights that the graphs read: the weights themselves
 * (`full`), or adapters on frozen weights (`lora`).
 *
 * With `lora` the graphs see W' = W + s·B·A, made once per step, and give the gradient of W'; since
 * dA = s·Bᵀ·dW' and dB = s·dW'·Aᵀ, it is projected once per step too. Against the usual chain of two
 * thin products per token this costs no time in the forward pass and, for widths up to a few
 * hundred, less in the backward pass; for wide models it costs the memory of W'.
 */
import { layerLinears, loraName, loraParameters, OnnxGraphBuilder } from "@waggle/model";
import type { Adapter, DecoderConfig, Linear } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { Tensor, TensorMap } from "@waggle/protocol";
import type { OnnxDevice } from "./onnx-device.ts";
import { OnnxGraph } from "./onnx-graph.ts";

export interface TrainedWeights {
  /** The trained parameters, updated in place by the optimizer. */
  readonly parameters: TensorMap;
  /** What the graphs read. The same arrays for the engine's life; `refresh` rewrites them. */
  readonly effective: TensorMap;
  /** Names of effective weights whose gradients are needed. */
  readonly wanted: ReadonlySet<string>;
  /** Gradients of parameters from gradients of effective weights; linear in them. */
  project(gradients: ReadonlyMap<string, Float32Array>): Promise<ReadonlyMap<string, Float32Array>>;
  /** Brings `effective` up to date after the parameters changed. */
  refresh(): Promise<void>;
  dispose(): Promise<void>;
}

/** Every parameter is trained; gradients and weights are used as they are. */
export function createFullWeights(weights: TensorMap): TrainedWeights {
  const parameters = mapTensors(weights, (data) => data.slice());
  return {
    parameters,
    effective: parameters,
    wanted: new Set(parameters.keys()),
    project: async (gradients) => gradients,
    refresh: async () => {},
    dispose: async () => {},
  };
}

/**
 * A and B are trained, the base is frozen.
 * @throws WaggleError `ADAPTER_INCOMPATIBLE` when the adapter is not one of this decoder.
 */
export async function createLoraWeights(
  config: DecoderConfig,
  weights: TensorMap,
  adapter: Adapter,
  device: OnnxDevice,
): Promise<TrainedWeights> {
  const parameters = adapterParameters(config, adapter);
  const linears = Array.from({ length: config.layers }, (_, layer) =>
    layerLinears(config, layer),
  ).flat();
  const wanted = new Set(linears.map(({ name }) => `${name}.weight`));
  const base = new Map([...weights].filter(([name]) => wanted.has(name)));
  const effective = mapTensors(weights, (data, name) => (wanted.has(name) ? data.slice() : data));
  const scale = adapter.alpha / adapter.rank;
  const merge = await OnnxGraph.create(mergeGraph(linears, adapter.rank, scale), device);
  const projection = await OnnxGraph.create(projectionGraph(linears, adapter.rank, scale), device);

  const refresh = async (): Promise<void> => {
    const merged = await merge.run(new Map([...base, ...parameters]));
    for (const name of wanted) {
      effective.get(name)?.data.set(merged.get(`merged:${name}`) as Float32Array);
    }
  };
  await refresh();
  return {
    parameters,
    effective,
    wanted,
    refresh,
    project: async (gradients) => {
      if (gradients.size === 0) return gradients;
      const feeds = new Map<string, Tensor>(parameters);
      for (const name of wanted) {
        const { shape, data } = effective.get(name) as Tensor;
        feeds.set(name, { shape, data: gradients.get(name) ?? new Float32Array(data.length) });
      }
      const outputs = await projection.run(feeds);
      return new Map(
        Array.from(parameters.keys(), (name) => [
          name,
          outputs.get(`gradient:${name}`) as Float32Array,
        ]),
      );
    },
    dispose: async () => {
      await merge.dispose();
      await projection.dispose();
    },
  };
}

/** W' = W + scale·B·A for every linear. */
function mergeGraph(linears: readonly Linear[], rank: number, scale: number): Uint8Array {
  const builder = new OnnxGraphBuilder();
  for (const { name, inputSize, outputSize } of linears) {
    const shape = [outputSize, inputSize];
    const { a, b, weight } = linearInputs(builder, { name, inputSize, outputSize }, rank);
    const merged = `merged:${weight}`;
    builder.node("Gemm", [b, a, weight], {
      outputs: [merged],
      attributes: { alpha: { float: scale } },
    });
    builder.output(merged, "f32", shape);
  }
  return builder.build();
}

/** dA = scale·Bᵀ·dW', dB = scale·dW'·Aᵀ for every linear; dW' comes in under the weight's name. */
function projectionGraph(linears: readonly Linear[], rank: number, scale: number): Uint8Array {
  const builder = new OnnxGraphBuilder();
  for (const linear of linears) {
    const { a, b, weight } = linearInputs(builder, linear, rank);
    const alpha = { float: scale };
    const outputs = { a: `gradient:${a}`, b: `gradient:${b}` };
    builder.node("Gemm", [b, weight], { outputs: [outputs.a], attributes: { alpha, transA: 1 } });
    builder.node("Gemm", [weight, a], { outputs: [outputs.b], attributes: { alpha, transB: 1 } });
    builder.output(outputs.a, "f32", [rank, linear.inputSize]);
    builder.output(outputs.b, "f32", [linear.outputSize, rank]);
  }
  return builder.build();
}

function linearInputs(
  builder: OnnxGraphBuilder,
  { name, inputSize, outputSize }: Linear,
  rank: number,
): { readonly a: string; readonly b: string; readonly weight: string } {
  return {
    a: builder.input(loraName(name, "A"), "f32", [rank, inputSize]),
    b: builder.input(loraName(name, "B"), "f32", [outputSize, rank]),
    weight: builder.input(`${name}.weight`, "f32", [outputSize, inputSize]),
  };
}

/**
 * The adapter's tensors in their stable order, copied, as training writes into them.
 * @throws WaggleError `ADAPTER_INCOMPATIBLE` when it is not one of this decoder.
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

/** The same names and shapes over other data. */
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
