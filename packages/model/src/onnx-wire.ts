/**
 * The parts of an ONNX model as protobuf bytes. Written with protobuf-es' wire writer, which needs no
 * code generation and so runs under a strict content security policy.
 * Source: onnx.proto of the ONNX project, field numbers of ModelProto and its parts.
 */
import { BinaryWriter } from "@bufbuild/protobuf/wire";

export type OnnxDataType = "f32" | "f16" | "i32" | "i64" | "u8" | "bool";

/** Data of f16 is its bits; of bool, one byte per element. */
export type OnnxData = Float32Array | Uint16Array | Int32Array | BigInt64Array | Uint8Array;

/**
 * A plain number is an integer attribute where it is integral and a float otherwise; say
 * `{ float: 1 }` for a float attribute that may be integral.
 */
export type OnnxAttribute =
  | number
  | { readonly int: number }
  | { readonly float: number }
  | { readonly ints: readonly number[] }
  | { readonly floats: readonly number[] }
  | { readonly string: string };

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
const ATTRIBUTE_TYPE = { float: 1, int: 2, string: 3, floats: 6, ints: 7 } as const;
/** TensorProto.DataLocation. */
const EXTERNAL = 1;

// protobuf wire types
export const VARINT = 0;
export const BYTES = 2;
const FIXED32 = 5;

export function tag(field: number, wireType: number): number {
  return (field << 3) | wireType;
}

export function message(writer: BinaryWriter, field: number, write: () => void): void {
  writer.uint32(tag(field, BYTES)).fork();
  write();
  writer.join();
}

export function writeNode(writer: BinaryWriter, node: OnnxNode): void {
  for (const name of node.inputs) writer.uint32(tag(1, BYTES)).string(name);
  for (const name of node.outputs) writer.uint32(tag(2, BYTES)).string(name);
  const firstOutput = node.outputs.find((name) => name !== "");
  if (firstOutput !== undefined) writer.uint32(tag(3, BYTES)).string(firstOutput);
  writer.uint32(tag(4, BYTES)).string(node.opType);
  for (const [name, attribute] of node.attributes) {
    message(writer, 5, () => writeAttribute(writer, name, attribute));
  }
  writer.uint32(tag(7, BYTES)).string(node.domain);
}

function writeAttribute(writer: BinaryWriter, name: string, attribute: OnnxAttribute): void {
  writer.uint32(tag(1, BYTES)).string(name);
  const value =
    typeof attribute !== "number"
      ? attribute
      : Number.isInteger(attribute)
        ? { int: attribute }
        : { float: attribute };
  let type: number;
  if ("int" in value) {
    writer.uint32(tag(3, VARINT)).int64(value.int);
    type = ATTRIBUTE_TYPE.int;
  } else if ("float" in value) {
    writer.uint32(tag(2, FIXED32)).float(value.float);
    type = ATTRIBUTE_TYPE.float;
  } else if ("ints" in value) {
    for (const item of value.ints) writer.uint32(tag(8, VARINT)).int64(item);
    type = ATTRIBUTE_TYPE.ints;
  } else if ("floats" in value) {
    for (const item of value.floats) writer.uint32(tag(7, FIXED32)).float(item);
    type = ATTRIBUTE_TYPE.floats;
  } else {
    writer.uint32(tag(4, BYTES)).string(value.string);
    type = ATTRIBUTE_TYPE.string;
  }
  writer.uint32(tag(20, VARINT)).int32(type);
}

/** Where a tensor's bytes lie outside the model. */
export type ExternalPlace = { readonly path: string; readonly offset: number };

/** A TensorProto as a field: what describes it, and its data uncopied or where that is. */
export function tensorParts(
  field: number,
  tensor: OnnxInitializer,
  external: ExternalPlace | undefined,
): Uint8Array[] {
  const { byteLength } = tensor.data;
  const writer = new BinaryWriter();
  for (const dim of tensor.shape) writer.uint32(tag(1, VARINT)).int64(dim);
  writer.uint32(tag(2, VARINT)).int32(DATA_TYPE[tensor.dtype]);
  writer.uint32(tag(8, BYTES)).string(tensor.name);
  if (external !== undefined) {
    const facts = { location: external.path, offset: external.offset, length: byteLength };
    for (const [key, value] of Object.entries(facts)) {
      message(writer, 13, () => {
        writer.uint32(tag(1, BYTES)).string(key);
        writer.uint32(tag(2, BYTES)).string(`${value}`);
      });
    }
    writer.uint32(tag(14, VARINT)).int32(EXTERNAL);
    const whole = writer.finish();
    writer.uint32(tag(field, BYTES)).uint32(whole.length);
    return [writer.finish(), whole];
  }
  writer.uint32(tag(9, BYTES)).uint32(byteLength);
  const head = writer.finish();
  writer.uint32(tag(field, BYTES)).uint32(head.length + byteLength);
  // raw_data is little-endian, as are all platforms that run JavaScript engines with WebAssembly.
  return [writer.finish(), head, dataBytes(tensor.data)];
}

export function dataBytes({ buffer, byteOffset, byteLength }: OnnxData): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

export function writeValueInfo(writer: BinaryWriter, info: OnnxValueInfo): void {
  writer.uint32(tag(1, BYTES)).string(info.name);
  message(writer, 2, () => {
    message(writer, 1, () => {
      writer.uint32(tag(1, VARINT)).int32(DATA_TYPE[info.dtype]);
      message(writer, 2, () => {
        for (const dim of info.dims) {
          message(writer, 1, () => {
            if (typeof dim === "number") writer.uint32(tag(1, VARINT)).int64(dim);
            else writer.uint32(tag(2, BYTES)).string(dim);
          });
        }
      });
    });
  });
}
