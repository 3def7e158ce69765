/** What the parts of a decoder graph share while it is built: number formats, names, norms. */
import type { Architecture } from "./architecture.ts";
import type { DecoderConfig } from "./decoder-config.ts";
import type { OnnxGraphBuilder } from "./onnx-graph-builder.ts";

/** Number format of the matrices. The embedding and the logits' matrix of `int4` are in 8 bits. */
export type WeightFormat = "f32" | "f16" | "int8" | "int4";

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
