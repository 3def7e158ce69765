/** What a decoder is: config, weights, adapters, ONNX graphs. No execution. */
export {
  adapterConfigJson,
  adapterGraphInputs,
  initializeAdapter,
  loraName,
  loraParameters,
  readAdapter,
  writeAdapter,
} from "./adapter.ts";
export type { Adapter } from "./adapter.ts";
export { convertWeights } from "./convert-weights.ts";
export type { ConvertedParameter, StoredFormat } from "./convert-weights.ts";
export { layerKind, parseDecoderConfig } from "./decoder-config.ts";
export type { DecoderConfig, DecoderModelType, LayerKind } from "./decoder-config.ts";
export { decoderConfigJson } from "./decoder-config-json.ts";
export { assembleDecoder, buildDecoderGraph } from "./decoder-graph.ts";
export type { DecoderGraph, DecoderGraphOptions } from "./decoder-graph.ts";
export {
  decoderParameters,
  initializeDecoder,
  layerLinears,
  selectDecoderWeights,
} from "./decoder-parameters.ts";
export type { Linear } from "./decoder-parameters.ts";
export type { ParameterShape } from "./parameter-shape.ts";
export { parameterCount } from "./parameter-count.ts";
export { decoderStates, hasPositions, stateShape } from "./decoder-state.ts";
export type { DecoderState } from "./decoder-state.ts";
export { canBranch, prefixNames } from "./branch-states.ts";
export { BRANCHES, branchesBy, GPU_BRANCHES, PACKED_OR_BRANCHES } from "./graph-branches.ts";
export { HUGGINGFACE_INPUTS } from "./graph-huggingface.ts";
export { PACKED_INPUTS } from "./graph-inputs.ts";
export type { InputForm } from "./graph-inputs.ts";
export { emptySink } from "./graph-sink.ts";
export { joinProducts } from "./join-products.ts";
export { expandedWeights } from "./expanded-weights.ts";
export type { WeightFormat } from "./weight-format.ts";
export { float16ToFloat32, float32ToFloat16, fromFloat16Bits } from "./half-precision.ts";
export { mergeAdapter, mergedWeights } from "./merged-weights.ts";
export {
  describeModelFolder,
  MODEL_FILE_NAMES,
  openModelWeights,
  readModelWeights,
  selectModelFiles,
} from "./model-folder.ts";
export type { ModelFile } from "./model-folder.ts";
export { OnnxGraphBuilder } from "./onnx-graph-builder.ts";
export type { OnnxBuildOptions, OnnxNodeOptions } from "./onnx-graph-builder.ts";
export type { OnnxExternalFile, OnnxExternalOptions, OnnxModel } from "./onnx-external.ts";
export type { OnnxAttribute, OnnxData, OnnxDataType } from "./onnx-wire.ts";
export type { RopeScaling } from "./rope-config.ts";
export { readPeftAdapter } from "./peft-adapter.ts";
export { PlainDecoder } from "./plain-decoder.ts";
export { BLOCK_SIZE, dequantizeRows, unpackedZeroPoints } from "./quantization.ts";
export type { QuantizedMatrix } from "./quantization.ts";
export { residentSource } from "./resident-source.ts";
export { readDecoderWeights, readResidentWeights } from "./resident-weights.ts";
export type { ResidentFormat, ResidentWeight } from "./resident-weights.ts";
export { residentNumbers, roundedWeights } from "./rounded-weights.ts";
export type { WeightStore } from "./weight-store.ts";
export { ropeFrequencies, ropeTables } from "./rope.ts";
export { readSafetensors, readShardedSafetensors, writeSafetensors } from "./safetensors.ts";
export type { SafetensorsFile } from "./safetensors.ts";
export { elementBytes, safetensorsHeaderBytes, shardPaths } from "./safetensors-header.ts";
export type { SafetensorsDataType } from "./safetensors-header.ts";
export { parseStoredFormat, quantizationConfigJson } from "./stored-format.ts";
export { openSafetensors, openShardedSafetensors, tensorMapSource } from "./tensor-source.ts";
export type { ByteSource, RowRange, TensorDescription, TensorSource } from "./tensor-source.ts";
export { initializeValueHead, VALUE_HEAD, valueHeadTensors } from "./value-head.ts";
export type { ValueHead } from "./value-head.ts";
export { kernelModule, wasm } from "./kernel-module.ts";
export type { Instructions } from "./kernel-module.ts";
