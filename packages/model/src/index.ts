/** What a decoder is: config, weights, adapters, ONNX graphs. No execution. */
export { OnnxGraphBuilder } from "./onnx-graph-builder.ts";
export type {
  OnnxAttribute,
  OnnxBuildOptions,
  OnnxData,
  OnnxDataType,
  OnnxNodeOptions,
} from "./onnx-graph-builder.ts";
