/** Shared by the parts of a decoder graph under construction: number formats, names, norms. */
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
  /** Format of activations, keys and values, biases, scales and adapters. */
  readonly activations: "f32" | "f16";
  /** Format of the residual and its norms: `f32` where f16 would overflow. */
  readonly residual: "f32" | "f16";
  /** Whether quantized products round their activations to 8 bits, block by block. */
  readonly roundsActivations: boolean;
  readonly lora: { readonly rank: number } | null;
  /** Absent: weights are constants of the graph. */
  readonly store: WeightStore | undefined;
};

export const MICROSOFT = "com.microsoft";

/** TensorProto.DataType. */
const ONNX_TYPE = { f32: 1, f16: 10 } as const;

/** RMSNorm with the weight of this name. */
export function normalize({ graph, config }: GraphParts, x: string, weight: string): string {
  return graph.op("SimplifiedLayerNormalization", [x, weight], {
    attributes: { axis: -1, epsilon: { float: config.rmsNormEpsilon }, stash_type: 1 },
  });
}

/** Converts to another format if needed. */
export function cast(
  { graph }: GraphParts,
  x: string,
  from: "f32" | "f16",
  to: "f32" | "f16",
): string {
  return from === to ? x : graph.op("Cast", [x], { attributes: { to: ONNX_TYPE[to] } });
}

/** A constant tensor: in the graph, or an input from the store. */
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
 * Whether the single matrix of tied embeddings is stored as `[C, V]`, the layout of the logits'
 * product. As a constant it is stored transposed, and onnxruntime creates a second copy when
 * loading the graph.
 */
export function isEmbeddingTransposed({ config, store, weightFormat }: GraphParts): boolean {
  return store !== undefined && config.tiedEmbeddings && !weightFormat.startsWith("int");
}
