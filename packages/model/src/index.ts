/** What a decoder is: config, weights, adapters, ONNX graphs. No execution. */
export {
  adapterConfigJson,
  adapterGraphInputs,
  initializeAdapter,
  loraName,
  loraParameters,
  mergeAdapter,
  readAdapter,
  writeAdapter,
} from "./adapter.ts";
export type { Adapter } from "./adapter.ts";
export { decoderConfigJson, parseDecoderConfig } from "./decoder-config.ts";
export type { DecoderConfig, RopeScaling } from "./decoder-config.ts";
export { buildDecoderGraph } from "./decoder-graph.ts";
export type { DecoderGraphOptions } from "./decoder-graph.ts";
export {
  decoderParameters,
  initializeDecoder,
  layerLinears,
  parameterCount,
  selectDecoderWeights,
} from "./decoder-parameters.ts";
export type { Linear, ParameterShape } from "./decoder-parameters.ts";
export { collectModelFiles, describeModelFolder, readModelWeights } from "./model-folder.ts";
export type { ModelFile } from "./model-folder.ts";
export { OnnxGraphBuilder } from "./onnx-graph-builder.ts";
export type {
  OnnxAttribute,
  OnnxBuildOptions,
  OnnxData,
  OnnxDataType,
  OnnxNodeOptions,
} from "./onnx-graph-builder.ts";
export { PlainDecoder } from "./plain-decoder.ts";
export { ropeFrequencies, ropeTables } from "./rope.ts";
export { readSafetensors, readShardedSafetensors, writeSafetensors } from "./safetensors.ts";
export type { SafetensorsFile } from "./safetensors.ts";
export { shardPaths } from "./safetensors-header.ts";
export type { SafetensorsDataType } from "./safetensors-header.ts";
export { openSafetensors, openShardedSafetensors, tensorMapSource } from "./tensor-source.ts";
export type { ByteSource, RowRange, TensorDescription, TensorSource } from "./tensor-source.ts";
