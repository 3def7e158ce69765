/**
 * Builds an ONNX model (one protobuf message) node by node. Not an optimizer and not a checker of
 * operator semantics: the runtime that loads the bytes does both. Written with protobuf-es'
 * wire writer, which needs no code generation and so runs under a strict content security policy.
 * Source: onnx.proto of the ONNX project, field numbers of ModelProto and its parts.
 */
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { WaggleError } from "@waggle/protocol";

export type OnnxDataType = "f32" | "i32" | "i64" | "bool";

/** Bool data is one byte per element. */
export type OnnxData = Float32Array | Int32Array | BigInt64Array | Uint8Array;

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

export type OnnxNodeOptions = {
  /** How many outputs (default 1), or their names; an empty name leaves an optional output out. */
  readonly outputs?: number | readonly string[];
  /** Default: the ONNX domain. `com.microsoft` is imported. */
  readonly domain?: string;
  readonly attributes?: { readonly [name: string]: OnnxAttribute };
};

export type OnnxBuildOptions = {
  /** Version of the ONNX operator set, default 21. */
  readonly opset?: number;
};

type ValueInfo = { name: string; dtype: OnnxDataType; dims: readonly (number | string)[] };
type Initializer = { name: string; dtype: OnnxDataType; shape: readonly number[]; data: OnnxData };
type GraphNode = {
  opType: string;
  inputs: readonly string[];
  outputs: readonly string[];
  domain: string;
  attributes: readonly (readonly [string, OnnxAttribute])[];
};

/** TensorProto.DataType. */
const DATA_TYPE: { readonly [dtype in OnnxDataType]: number } = { f32: 1, i32: 6, i64: 7, bool: 9 };
/** AttributeProto.AttributeType. */
const ATTRIBUTE_TYPE = { float: 1, int: 2, string: 3, floats: 6, ints: 7 } as const;
/** Of ONNX 1.16: the oldest that holds operator set 21. */
const IR_VERSION = 10;
const DEFAULT_OPSET = 21;
/** A protobuf message and thus a model without external data ends here. */
const MAX_BYTES = 2 ** 31 - 1;

/** A graph in the making. Every tensor has one name; a node's inputs must exist when it is added. */
export class OnnxGraphBuilder {
  readonly #names = new Set<string>();
  readonly #inputs: ValueInfo[] = [];
  readonly #outputs: ValueInfo[] = [];
  readonly #initializers: Initializer[] = [];
  readonly #nodes: GraphNode[] = [];
  readonly #constants = new Map<string, string>();
  #counter = 0;

  /** Declares a graph input. A string in `dims` names a size that is known only when it runs. */
  input(name: string, dtype: OnnxDataType, dims: readonly (number | string)[]): string {
    this.#define(name);
    this.#inputs.push({ name, dtype, dims: [...dims] });
    return name;
  }

  /** Declares that the existing tensor `name` is a graph output. */
  output(name: string, dtype: OnnxDataType, dims: readonly (number | string)[]): void {
    this.#mustExist(name, "an output");
    this.#outputs.push({ name, dtype, dims: [...dims] });
  }

  /**
   * Adds a constant tensor. `data` is not copied before `build`.
   * @throws WaggleError `SHAPE_MISMATCH` where data and shape differ in size.
   */
  initializer(name: string, dtype: OnnxDataType, shape: readonly number[], data: OnnxData): string {
    const size = shape.reduce((product, dim) => product * dim, 1);
    if (data.length !== size || !fitsType(dtype, data)) {
      throw new WaggleError(
        "SHAPE_MISMATCH",
        `initializer ${name} must hold ${size} elements of ${dtype}, got ${data.length} in ${data.constructor.name}; pass data of that type and shape`,
      );
    }
    this.#define(name);
    this.#initializers.push({ name, dtype, shape: [...shape], data });
    return name;
  }

  /** An i64 vector (a shape, axes, starts), or a scalar where `values` is a number. Shared. */
  ints(values: number | readonly number[]): string {
    const list = typeof values === "number" ? [values] : values;
    return this.#constant(`i64:${JSON.stringify(values)}`, (name) =>
      this.initializer(
        name,
        "i64",
        typeof values === "number" ? [] : [list.length],
        BigInt64Array.from(list, BigInt),
      ),
    );
  }

  /** An f32 scalar. Shared. */
  float(value: number): string {
    return this.#constant(`f32:${value}`, (name) =>
      this.initializer(name, "f32", [], Float32Array.of(value)),
    );
  }

  /**
   * Adds a node. An empty string among `inputs` leaves an optional input out.
   * @returns the names of its outputs.
   */
  node(opType: string, inputs: readonly string[], options: OnnxNodeOptions = {}): string[] {
    for (const name of inputs) if (name !== "") this.#mustExist(name, `an input of ${opType}`);
    const wanted = options.outputs ?? 1;
    const outputs =
      typeof wanted === "number"
        ? Array.from({ length: wanted }, () => this.#fresh(opType))
        : [...wanted];
    for (const name of outputs) if (name !== "") this.#define(name);
    this.#nodes.push({
      opType,
      inputs: [...inputs],
      outputs,
      domain: options.domain ?? "",
      attributes: Object.entries(options.attributes ?? {}),
    });
    return outputs;
  }

  /** The same, for a node of one output: returns its name. */
  op(opType: string, inputs: readonly string[], options: OnnxNodeOptions = {}): string {
    return this.node(opType, inputs, options)[0] as string;
  }

  /**
   * The serialized ModelProto, weights inside.
   * @throws WaggleError `MODEL_UNSUPPORTED` when it would pass protobuf's 2 GiB.
   */
  build(options: OnnxBuildOptions = {}): Uint8Array {
    const sizeBytes = this.#initializers.reduce((sum, { data }) => sum + data.byteLength, 0);
    if (sizeBytes > MAX_BYTES) {
      throw new WaggleError(
        "MODEL_UNSUPPORTED",
        `the weights of one graph must stay below 2 GiB, got ${sizeBytes} bytes; use a smaller model`,
      );
    }
    const graph = this.#graphParts();
    const head = new BinaryWriter();
    head.uint32(tag(1, VARINT)).int64(IR_VERSION);
    head.uint32(tag(2, BYTES)).string("waggle");
    head.uint32(tag(7, BYTES)).uint32(graph.reduce((sum, part) => sum + part.length, 0));
    const tail = new BinaryWriter();
    message(tail, 8, () => {
      tail.uint32(tag(1, BYTES)).string("");
      tail.uint32(tag(2, VARINT)).int64(options.opset ?? DEFAULT_OPSET);
    });
    message(tail, 8, () => {
      tail.uint32(tag(1, BYTES)).string("com.microsoft");
      tail.uint32(tag(2, VARINT)).int64(1);
    });
    return concatenate([head.finish(), ...graph, tail.finish()]);
  }

  /** GraphProto in pieces: the writer's own buffer doubles as it grows, weights stay out of it. */
  #graphParts(): Uint8Array[] {
    const writer = new BinaryWriter();
    for (const node of this.#nodes) message(writer, 1, () => writeNode(writer, node));
    writer.uint32(tag(2, BYTES)).string("waggle");
    const parts: Uint8Array[] = [writer.finish()];
    for (const tensor of this.#initializers) parts.push(...tensorParts(5, tensor));
    for (const info of this.#inputs) message(writer, 11, () => writeValueInfo(writer, info));
    for (const info of this.#outputs) message(writer, 12, () => writeValueInfo(writer, info));
    return [...parts, writer.finish()];
  }

  #constant(key: string, make: (name: string) => string): string {
    const known = this.#constants.get(key);
    if (known !== undefined) return known;
    const name = make(this.#fresh("constant"));
    this.#constants.set(key, name);
    return name;
  }

  #fresh(stem: string): string {
    for (;;) {
      const name = `${stem}_${this.#counter++}`;
      if (!this.#names.has(name)) return name;
    }
  }

  #define(name: string): void {
    if (name === "" || this.#names.has(name)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a tensor's name must be new and not empty, got "${name}"; choose another name`,
      );
    }
    this.#names.add(name);
  }

  #mustExist(name: string, role: string): void {
    if (!this.#names.has(name)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `${role} must be an input, an initializer or the output of an earlier node, got "${name}"; add that first`,
      );
    }
  }
}

function fitsType(dtype: OnnxDataType, data: OnnxData): boolean {
  switch (dtype) {
    case "f32":
      return data instanceof Float32Array;
    case "i32":
      return data instanceof Int32Array;
    case "i64":
      return data instanceof BigInt64Array;
    case "bool":
      return data instanceof Uint8Array;
  }
}

// protobuf wire types
const VARINT = 0;
const BYTES = 2;
const FIXED32 = 5;

function tag(field: number, wireType: number): number {
  return (field << 3) | wireType;
}

function message(writer: BinaryWriter, field: number, write: () => void): void {
  writer.uint32(tag(field, BYTES)).fork();
  write();
  writer.join();
}

function writeNode(writer: BinaryWriter, node: GraphNode): void {
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

/** A TensorProto as a field: what describes it, and its data uncopied. */
function tensorParts(field: number, tensor: Initializer): Uint8Array[] {
  const { buffer, byteOffset, byteLength } = tensor.data;
  const writer = new BinaryWriter();
  for (const dim of tensor.shape) writer.uint32(tag(1, VARINT)).int64(dim);
  writer.uint32(tag(2, VARINT)).int32(DATA_TYPE[tensor.dtype]);
  writer.uint32(tag(8, BYTES)).string(tensor.name);
  writer.uint32(tag(9, BYTES)).uint32(byteLength);
  const head = writer.finish();
  writer.uint32(tag(field, BYTES)).uint32(head.length + byteLength);
  // raw_data is little-endian, as are all platforms that run JavaScript engines with WebAssembly.
  return [writer.finish(), head, new Uint8Array(buffer, byteOffset, byteLength)];
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let position = 0;
  for (const part of parts) {
    bytes.set(part, position);
    position += part.length;
  }
  return bytes;
}

function writeValueInfo(writer: BinaryWriter, info: ValueInfo): void {
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
