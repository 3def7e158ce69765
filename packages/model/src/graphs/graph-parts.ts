/** What the parts of a decoder graph share while it is built: number formats, names, norms. */
import type { Architecture } from "../decoder/architecture.ts";
import type { DecoderConfig } from "../decoder/decoder-config.ts";
import type { OnnxGraphBuilder } from "../onnx/onnx-graph-builder.ts";
import type { OnnxData, OnnxDataType } from "../onnx/onnx-wire.ts";
import type { WeightFormat } from "../weight-format.ts";
import type { WeightStore } from "../weights/weight-store.ts";

export type GraphParts = {
  readonly graph: OnnxGraphBuilder;
  readonly config: DecoderConfig;
  readonly architecture: Architecture;
  readonly weightFormat: WeightFormat;
  /** Of activations, keys and values, biases, scales and adapters. */
  readonly activations: "f32" | "f16";
  /** Of the sum that runs through the layers and of its norms: `f32` where f16 would overflow. */
  readonly residual: "f32" | "f16";
  /** Quantized products round their activations to 8 bits, block by block. */
  readonly roundsActivations: boolean;
  readonly lora: { readonly rank: number } | null;
  /** Absent: weights are in the graph. */
  readonly store: WeightStore | undefined;
};

export const MICROSOFT = "com.microsoft";

/** TensorProto.DataType. */
const ONNX_TYPE = { f32: 1, f16: 10 } as const;

/** RMSNorm by the weight of that name. */
export function normalize({ graph, config }: GraphParts, x: string, weight: string): string {
  return graph.op("SimplifiedLayerNormalization", [x, weight], {
    attributes: { axis: -1, epsilon: { float: config.rmsNormEpsilon }, stash_type: 1 },
  });
}

/** The same numbers in another format; nothing where it is the same. */
export function cast(
  { graph }: GraphParts,
  x: string,
  from: "f32" | "f16",
  to: "f32" | "f16",
): string {
  return from === to ? x : graph.op("Cast", [x], { attributes: { to: ONNX_TYPE[to] } });
}

/** A tensor that never changes: in the graph, or an input beside it. */
export async function addConstant(
  { graph, store }: GraphParts,
  name: string,
  dtype: OnnxDataType,
  shape: readonly number[],
  data: OnnxData,
): Promise<void> {
  if (store === undefined) graph.initializer(name, dtype, shape, data);
  else {
    graph.input(name, dtype, shape);
    await store.add(name, dtype, shape, data);
  }
}

/**
 * Whether the one matrix of tied embeddings lies as the logits' product wants it, `[C, V]`. As a
 * constant it lies the other way, and onnxruntime turns a second one when it loads the graph.
 */
export function isEmbeddingTurned({ config, store, weightFormat }: GraphParts): boolean {
  return store !== undefined && config.tiedEmbeddings && !weightFormat.startsWith("int");
}
