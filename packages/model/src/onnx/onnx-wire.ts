/**
 * The parts of an ONNX model as protobuf bytes.
 * Source: onnx.proto of the ONNX project, field numbers of ModelProto and its parts.
 */
import { ProtobufWriter } from "./protobuf-writer.ts";

/** Element types of tensors. */
export type OnnxDataType = "f32" | "f16" | "i32" | "i64" | "u8" | "bool";

/** Data of f16 is its bits; of bool, one byte per element. */
export type OnnxData = Float32Array | Uint16Array | Int32Array | BigInt64Array | Uint8Array;

/**
 * An integral number is an integer attribute, any other a float. Use `{ float: 1 }` for a float
 * attribute with an integral value.
 */
export type OnnxAttribute =
  | number
  | { readonly int: number }
  | { readonly float: number }
  | { readonly ints: readonly number[] }
  | { readonly floats: readonly number[] }
  | { readonly string: string }
  | { readonly graph: OnnxSubgraph };

/** Nodes that run as part of another node. They can read the outer graph's tensors. */
export type OnnxSubgraph = {
  readonly nodes: readonly OnnxNode[];
  readonly outputs: readonly OnnxValueInfo[];
};

export type OnnxValueInfo = {
  name: string;
  dtype: OnnxDataType;
  dims: readonly (number | string)[];
};
export type OnnxInitializer = {
  name: string;
  dtype: OnnxDataType;
  shape: readonly number[];
  data: OnnxData;
};
export type OnnxNode = {
  opType: string;
  inputs: readonly string[];
  outputs: readonly string[];
  domain: string;
  attributes: readonly (readonly [string, OnnxAttribute])[];
};

/** TensorProto.DataType. */
const DATA_TYPE: { readonly [dtype in OnnxDataType]: number } = {
  f32: 1,
  u8: 2,
  i32: 6,
  i64: 7,
  bool: 9,
  f16: 10,
};
/** AttributeProto.AttributeType. */
const ATTRIBUTE_TYPE = { float: 1, int: 2, string: 3, graph: 5, floats: 6, ints: 7 } as const;

export function writeNode(writer: ProtobufWriter, node: OnnxNode): void {
  for (const name of node.inputs) writer.string(1, name);
  for (const name of node.outputs) writer.string(2, name);
  const firstOutput = node.outputs.find((name) => name !== "");
  if (firstOutput !== undefined) writer.string(3, firstOutput);
  writer.string(4, node.opType);
  for (const [name, attribute] of node.attributes) {
    writer.message(5, () => writeAttribute(writer, name, attribute));
  }
  writer.string(7, node.domain);
}

function writeAttribute(writer: ProtobufWriter, name: string, attribute: OnnxAttribute): void {
  writer.string(1, name);
  const value =
    typeof attribute !== "number"
      ? attribute
      : Number.isInteger(attribute)
        ? { int: attribute }
        : { float: attribute };
  let type: number;
  if ("int" in value) {
    writer.int(3, value.int);
    type = ATTRIBUTE_TYPE.int;
  } else if ("float" in value) {
    writer.float(2, value.float);
    type = ATTRIBUTE_TYPE.float;
  } else if ("ints" in value) {
    for (const item of value.ints) writer.int(8, item);
    type = ATTRIBUTE_TYPE.ints;
  } else if ("floats" in value) {
    for (const item of value.floats) writer.float(7, item);
    type = ATTRIBUTE_TYPE.floats;
  } else if ("graph" in value) {
    const { nodes, outputs } = value.graph;
    writer.message(6, () => {
      for (const node of nodes) writer.message(1, () => writeNode(writer, node));
      writer.string(2, name);
      for (const info of outputs) writer.message(12, () => writeValueInfo(writer, info));
    });
    type = ATTRIBUTE_TYPE.graph;
  } else {
    writer.string(4, value.string);
    type = ATTRIBUTE_TYPE.string;
  }
  writer.int(20, type);
}

/** Writes the fields of a TensorProto that say where its external bytes are. */
export type WritePlace = (writer: ProtobufWriter) => void;

/** A TensorProto as a field: its description, and its data uncopied or its place. */
export function tensorParts(
  field: number,
  tensor: OnnxInitializer,
  writePlace: WritePlace | undefined,
): Uint8Array[] {
  const { byteLength } = tensor.data;
  const writer = new ProtobufWriter();
  for (const dim of tensor.shape) writer.int(1, dim);
  writer.int(2, DATA_TYPE[tensor.dtype]);
  writer.string(8, tensor.name);
  if (writePlace !== undefined) {
    writePlace(writer);
    const whole = writer.finish();
    writer.head(field, whole.length);
    return [writer.finish(), whole];
  }
  writer.head(9, byteLength);
  const head = writer.finish();
  writer.head(field, head.length + byteLength);
  // raw_data is little-endian, as is every platform with a JavaScript engine and WebAssembly.
  return [writer.finish(), head, dataBytes(tensor.data)];
}

export function dataBytes({ buffer, byteOffset, byteLength }: OnnxData): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

export function writeValueInfo(writer: ProtobufWriter, info: OnnxValueInfo): void {
  writer.string(1, info.name);
  writer.message(2, () => {
    writer.message(1, () => {
      writer.int(1, DATA_TYPE[info.dtype]);
      writer.message(2, () => {
        for (const dim of info.dims) {
          writer.message(1, () => {
            if (typeof dim === "number") writer.int(1, dim);
            else writer.string(2, dim);
          });
        }
      });
    });
  });
}
