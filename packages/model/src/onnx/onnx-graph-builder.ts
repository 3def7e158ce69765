/**
 * Builds an ONNX model (one protobuf message) node by node. The runtime that loads it optimizes the
 * graph and checks the operators.
 */
import { WaggleError } from "@waggle/protocol";
import { tensorParts, writeNode, writeValueInfo } from "./onnx-wire.ts";
import type {
  WritePlace,
  OnnxAttribute,
  OnnxData,
  OnnxDataType,
  OnnxInitializer,
  OnnxNode,
  OnnxValueInfo,
} from "./onnx-wire.ts";
import { ProtobufWriter } from "./protobuf-writer.ts";

/** Options of a node. */
export type OnnxNodeOptions = {
  /** Number of outputs (default 1), or their names; an empty name leaves out an optional output. */
  readonly outputs?: number | readonly string[];
  /** Default: the ONNX domain. `com.microsoft` is imported. */
  readonly domain?: string;
  readonly attributes?: { readonly [name: string]: OnnxAttribute };
};

/** Options of `OnnxGraphBuilder.build`. */
export type OnnxBuildOptions = {
  /** Version of the ONNX operator set, default 21. */
  readonly opset?: number;
};

/** IR version of ONNX 1.16, the oldest with operator set 21. */
const IR_VERSION = 10;
const DEFAULT_OPSET = 21;
/** Limit of a protobuf message, and so of a model without external data. */
const MAX_BYTES = 2 ** 31 - 1;

/**
 * A graph under construction. Tensor names are unique; a node's inputs must exist when it is added.
 */
export class OnnxGraphBuilder {
  readonly #names = new Set<string>();
  readonly #inputs: OnnxValueInfo[] = [];
  readonly #outputs: OnnxValueInfo[] = [];
  readonly initializers: OnnxInitializer[] = [];
  /** In execution order. Reassigned by code that moves nodes. */
  nodes: OnnxNode[] = [];
  readonly #constants = new Map<string, string>();
  #counter = 0;

  /** Declares a graph input. A string in `dims` names a size known only at run time. */
  input(name: string, dtype: OnnxDataType, dims: readonly (number | string)[]): string {
    this.#define(name);
    this.#inputs.push({ name, dtype, dims: [...dims] });
    return name;
  }

  /** Declares the existing tensor `name` as a graph output. */
  output(name: string, dtype: OnnxDataType, dims: readonly (number | string)[]): void {
    this.#mustExist(name, "an output");
    this.#outputs.push({ name, dtype, dims: [...dims] });
  }

  /**
   * Adds a constant tensor. `data` is not copied before `build`.
   * @throws WaggleError `SHAPE_MISMATCH` if data and shape differ in size.
   */
  initializer(name: string, dtype: OnnxDataType, shape: readonly number[], data: OnnxData): string {
    const size = shape.reduce((product, dim) => product * dim, 1);
    if (data.length !== size || !fitsType(dtype, data)) {
      throw new WaggleError(
        "SHAPE_MISMATCH",
        `initializer ${name} needs ${size} elements of ${dtype}, but its ${data.constructor.name} has ${data.length}`,
      );
    }
    this.#define(name);
    this.initializers.push({ name, dtype, shape: [...shape], data });
    return name;
  }

  /** An i64 vector (a shape, axes, starts), or a scalar if `values` is a number. Shared. */
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
   * Adds a node. An empty string among `inputs` leaves out an optional input.
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
    this.nodes.push({
      opType,
      inputs: [...inputs],
      outputs,
      domain: options.domain ?? "",
      attributes: Object.entries(options.attributes ?? {}),
    });
    return outputs;
  }

  /** Adds a node with one output. @returns its name. */
  op(opType: string, inputs: readonly string[], options: OnnxNodeOptions = {}): string {
    return this.node(opType, inputs, options)[0] as string;
  }

  /**
   * The serialized ModelProto, including all weights that are not placed elsewhere.
   * @throws WaggleError `MODEL_UNSUPPORTED` if it would exceed protobuf's 2 GiB.
   */
  build(
    options: OnnxBuildOptions = {},
    places: ReadonlyMap<string, WritePlace> = new Map(),
  ): Uint8Array {
    const sizeBytes = this.initializers.reduce(
      (sum, { name, data }) => sum + (places.has(name) ? 0 : data.byteLength),
      0,
    );
    if (sizeBytes > MAX_BYTES) {
      throw new WaggleError(
        "MODEL_UNSUPPORTED",
        `the graph's weights take ${sizeBytes} bytes, above the limit of 2 GiB; build it with external data`,
      );
    }
    const graph = this.#graphParts(places);
    const head = new ProtobufWriter();
    head.int(1, IR_VERSION);
    head.string(2, "waggle");
    head.head(
      7,
      graph.reduce((sum, part) => sum + part.length, 0),
    );
    const tail = new ProtobufWriter();
    tail.message(8, () => {
      tail.string(1, "");
      tail.int(2, options.opset ?? DEFAULT_OPSET);
    });
    tail.message(8, () => {
      tail.string(1, "com.microsoft");
      tail.int(2, 1);
    });
    return concatenate([head.finish(), ...graph, tail.finish()]);
  }

  /** GraphProto in pieces, so that weights are not copied into the writer's growing buffer. */
  #graphParts(places: ReadonlyMap<string, WritePlace>): Uint8Array[] {
    const writer = new ProtobufWriter();
    for (const node of this.#neededNodes()) writer.message(1, () => writeNode(writer, node));
    writer.string(2, "waggle");
    const parts: Uint8Array[] = [writer.finish()];
    for (const tensor of this.initializers) {
      parts.push(...tensorParts(5, tensor, places.get(tensor.name)));
    }
    for (const info of this.#inputs) writer.message(11, () => writeValueInfo(writer, info));
    for (const info of this.#outputs) writer.message(12, () => writeValueInfo(writer, info));
    return [...parts, writer.finish()];
  }

  /** Nodes that an output depends on; the runtime would compute the others too. */
  #neededNodes(): OnnxNode[] {
    const needed = new Set(this.#outputs.map(({ name }) => name));
    const nodes: OnnxNode[] = [];
    for (const node of this.nodes.toReversed()) {
      if (!node.outputs.some((name) => needed.has(name))) continue;
      for (const name of namesReadBy(node)) needed.add(name);
      nodes.push(node);
    }
    return nodes.toReversed();
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
        name === ""
          ? "a tensor needs a name"
          : `there is already a tensor "${name}"; choose another name`,
      );
    }
    this.#names.add(name);
  }

  #mustExist(name: string, role: string): void {
    if (!this.#names.has(name)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `${role} "${name}" does not exist yet; add it first`,
      );
    }
  }
}

/** Names that a node reads, including those read by its subgraphs. */
export function* namesReadBy({ inputs, attributes }: OnnxNode): Generator<string, void, void> {
  yield* inputs;
  for (const [, attribute] of attributes) {
    if (typeof attribute === "number" || !("graph" in attribute)) continue;
    for (const node of attribute.graph.nodes) yield* namesReadBy(node);
  }
}

function fitsType(dtype: OnnxDataType, data: OnnxData): boolean {
  switch (dtype) {
    case "f32":
      return data instanceof Float32Array;
    case "f16":
      return data instanceof Uint16Array;
    case "i32":
      return data instanceof Int32Array;
    case "i64":
      return data instanceof BigInt64Array;
    case "u8":
    case "bool":
      return data instanceof Uint8Array;
  }
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
