/** Describes decoders: config, weights, adapters, ONNX graphs. Runs nothing. */
export {
  adapterConfigJson,
  adapterGraphInputs,
  initializeAdapter,
  loraName,
  loraParameters,
  readAdapter,
  writeAdapter,
} from "./adapters/adapter.ts";
export type { Adapter } from "./adapters/adapter.ts";
export { convertWeights } from "./weights/convert-weights.ts";
export type { ConvertedParameter, StoredFormat } from "./weights/convert-weights.ts";
export { architectureOf } from "./decoder/architecture.ts";
export { layerKind, parseDecoderConfig } from "./decoder/decoder-config.ts";
export type { DecoderConfig, DecoderModelType, LayerKind } from "./decoder/decoder-config.ts";
export { decoderConfigJson } from "./decoder/decoder-config-json.ts";
export { assembleDecoder, buildDecoderGraph } from "./graphs/decoder-graph.ts";
export type { DecoderGraph, DecoderGraphOptions } from "./graphs/decoder-graph.ts";
export {
  decoderParameters,
  initializeDecoder,
  layerLinears,
  selectDecoderWeights,
} from "./decoder/decoder-parameters.ts";
export type { Linear } from "./decoder/decoder-parameters.ts";
export type { ParameterShape } from "./parameter-shape.ts";
export { parameterCount } from "./decoder/parameter-count.ts";
export { decoderStates, hasPositions, stateShape } from "./decoder/decoder-state.ts";
export type { DecoderState } from "./decoder/decoder-state.ts";
export { canBranch, prefixNames } from "./decoder/branch-states.ts";
export { BRANCHES, branchesBy, GPU_BRANCHES, PACKED_OR_BRANCHES } from "./graphs/graph-branches.ts";
export { HUGGINGFACE_INPUTS } from "./graphs/graph-huggingface.ts";
export { PACKED_INPUTS } from "./graphs/graph-inputs.ts";
export type { InputForm } from "./graphs/graph-inputs.ts";
export { emptySink } from "./graphs/graph-sink.ts";
export { joinProducts } from "./graphs/join-products.ts";
export { expandedWeights } from "./weights/expanded-weights.ts";
export type { WeightFormat } from "./weight-format.ts";
export { float32ToFloat16, fromFloat16Bits } from "./weights/half-precision.ts";
export { mergeAdapter, mergedWeights } from "./weights/merged-weights.ts";
export { CALIBRATION_FILE } from "./files/calibration-file.ts";
export {
  describeModelFolder,
  MODEL_FILE_NAMES,
  openModelWeights,
  readModelWeights,
  selectModelFiles,
} from "./files/model-folder.ts";
export type { ModelFile } from "./files/model-folder.ts";
export { OnnxGraphBuilder } from "./onnx/onnx-graph-builder.ts";
export type { OnnxBuildOptions, OnnxNodeOptions } from "./onnx/onnx-graph-builder.ts";
export type { OnnxExternalFile, OnnxExternalOptions, OnnxModel } from "./onnx/onnx-external.ts";
export type { OnnxAttribute, OnnxData, OnnxDataType } from "./onnx/onnx-wire.ts";
export type { RopeScaling } from "./decoder/rope-config.ts";
export { readPeftAdapter } from "./adapters/peft-adapter.ts";
export { PlainDecoder } from "./decoder/plain-decoder.ts";
export { BLOCK_SIZE, dequantizeRows, unpackedZeroPoints } from "./weights/quantization.ts";
export type { QuantizedMatrix } from "./weights/quantization.ts";
export { readQuantizedSlices } from "./weights/quantized-reader.ts";
export { readRows } from "./weights/weight-reader.ts";
export { quantizedBits } from "./graphs/graph-weights.ts";
export { residentSource } from "./weights/resident-source.ts";
export { readDecoderWeights, readResidentWeights } from "./weights/resident-weights.ts";
export type { ResidentFormat, ResidentWeight } from "./weights/resident-weights.ts";
export { residentNumbers, roundedWeights } from "./weights/rounded-weights.ts";
export type { WeightStore } from "./weights/weight-store.ts";
export { ropeTables } from "./decoder/rope.ts";
export { readSafetensors, writeSafetensors } from "./files/safetensors.ts";
export type { SafetensorsFile } from "./files/safetensors.ts";
export { elementBytes, safetensorsHeaderBytes, shardPaths } from "./files/safetensors-header.ts";
export type { SafetensorsDataType } from "./files/safetensors-header.ts";
export { parseStoredFormat, quantizationConfigJson } from "./weights/stored-format.ts";
export { tensorMapSource } from "./files/tensor-source.ts";
export type {
  ByteSource,
  RowRange,
  TensorDescription,
  TensorSource,
} from "./files/tensor-source.ts";
export { initializeValueHead, VALUE_HEAD, valueHeadTensors } from "./decoder/value-head.ts";
export type { ValueHead } from "./decoder/value-head.ts";
export { kernelModule, wasm } from "./kernel-module.ts";
export type { Instructions, KernelFunction, ValueType } from "./kernel-module.ts";
