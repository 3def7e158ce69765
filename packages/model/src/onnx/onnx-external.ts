/** An ONNX model with large tensors in separate files, because a protobuf message ends at 2 GiB. */
import type { OnnxBuildOptions, OnnxGraphBuilder } from "./onnx-graph-builder.ts";
import { dataBytes } from "./onnx-wire.ts";
import type { OnnxInitializer, WritePlace } from "./onnx-wire.ts";

/** When tensors go to external files, and how large these get. */
export type OnnxExternalOptions = OnnxBuildOptions & {
  /** Total bytes of constants above which large ones go to separate files. Default: 1 GiB. */
  readonly threshold?: number;
  /** File of the model, which the names of its external files begin with. Default: `model.onnx`. */
  readonly modelFile?: string;
  /** Maximum bytes of one external file, unless a single tensor is larger. Default: 256 MiB. */
  readonly fileBytes?: number;
};

/** A file that the model's tensors refer to by its path. */
export type OnnxExternalFile = { readonly path: string; readonly data: Uint8Array };

/** A serialized model and its files. */
export type OnnxModel = {
  /** The ModelProto. */
  readonly model: Uint8Array;
  /** Empty if the model has everything. */
  readonly externalData: readonly OnnxExternalFile[];
};

const DEFAULT_THRESHOLD = 2 ** 30;
const DEFAULT_FILE_BYTES = 2 ** 28;
/** Smaller tensors stay in the model, because shapes are needed before external files are read. */
const MIN_EXTERNAL_BYTES = 1024;
const EXTERNAL_ALIGNMENT = 64;
/** TensorProto.DataLocation. */
const EXTERNAL = 1;

/**
 * Serializes the model, with large tensors in separate files if their total exceeds the threshold.
 * Frees tensors as they are copied, so nothing can be built afterwards: the peak is the weights
 * plus one file.
 */
export function buildExternal(
  graph: OnnxGraphBuilder,
  options: OnnxExternalOptions = {},
): OnnxModel {
  const sizeBytes = graph.initializers.reduce((sum, { data }) => sum + data.byteLength, 0);
  if (sizeBytes <= (options.threshold ?? DEFAULT_THRESHOLD)) {
    return { model: graph.build(options), externalData: [] };
  }
  const { modelFile = "model.onnx", fileBytes = DEFAULT_FILE_BYTES } = options;
  const files = placeExternally(graph.initializers, modelFile, fileBytes);
  const places = new Map<string, WritePlace>();
  for (const { path, tensors } of files) {
    for (const { tensor, offset } of tensors) {
      const facts = { location: path, offset, length: tensor.data.byteLength };
      places.set(tensor.name, (writer) => {
        for (const [key, value] of Object.entries(facts)) {
          writer.message(13, () => {
            writer.string(1, key);
            writer.string(2, `${value}`);
          });
        }
        writer.int(14, EXTERNAL);
      });
    }
  }
  const model = graph.build(options, places);
  const externalData = files.map(({ path, sizeBytes: length, tensors }) => {
    const data = new Uint8Array(length);
    for (const { tensor, offset } of tensors) {
      data.set(dataBytes(tensor.data), offset);
      tensor.data = new Uint8Array(0);
    }
    return { path, data };
  });
  return { model, externalData };
}

type PlannedFile = {
  path: string;
  sizeBytes: number;
  tensors: { tensor: OnnxInitializer; offset: number }[];
};

/** Assigns large tensors, in order, to files named as in Hugging Face's exports. */
function placeExternally(
  tensors: readonly OnnxInitializer[],
  modelFile: string,
  fileBytes: number,
): PlannedFile[] {
  const files: PlannedFile[] = [];
  for (const tensor of tensors) {
    const { byteLength } = tensor.data;
    if (byteLength < MIN_EXTERNAL_BYTES) continue;
    let file = files.at(-1);
    if (file === undefined || file.sizeBytes + byteLength > fileBytes) {
      const suffix = files.length === 0 ? "" : `_${files.length}`;
      file = { path: `${modelFile}_data${suffix}`, sizeBytes: 0, tensors: [] };
      files.push(file);
    }
    file.tensors.push({ tensor, offset: file.sizeBytes });
    file.sizeBytes += Math.ceil(byteLength / EXTERNAL_ALIGNMENT) * EXTERNAL_ALIGNMENT;
  }
  return files;
}
