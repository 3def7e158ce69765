/**
 * The tensors of a model, read one at a time, so that weights of several GB are never in memory as a
 * whole. Independent of storage: callers pass in a `ByteSource`.
 */
import { WaggleError } from "@waggle/protocol";
import type { Tensor, TensorMap } from "@waggle/protocol";
import { elementCount } from "../shape.ts";
import { fromFloat16Bits } from "../weights/half-precision.ts";
import {
  elementBytes,
  missingInShard,
  parseSafetensorsHeader,
  parseShardIndex,
  safetensorsHeaderLength,
} from "./safetensors-header.ts";
import type { SafetensorsDataType, SafetensorsEntry } from "./safetensors-header.ts";

/** The bytes of one file. */
export interface ByteSource {
  readonly sizeBytes: number;
  /** Exactly `length` bytes from `offset`; the caller owns them. Rejects past the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Number format and shape of a stored tensor. */
export type TensorDescription = Pick<SafetensorsEntry, "dtype" | "shape">;

/** Rows along the first dimension: `begin` ≤ row < `end`. */
export type RowRange = { readonly begin: number; readonly end: number };

/** Reads a model's tensors one at a time. */
export interface TensorSource {
  /** In the order in which reading is cheapest. */
  readonly tensors: ReadonlyMap<string, TensorDescription>;
  /**
   * A tensor, or some of its rows, as float32.
   * @throws WaggleError `MODEL_CORRUPT` for a name or rows that do not exist.
   */
  read(name: string, rows?: RowRange): Promise<Tensor>;
  /** The bytes as stored, little-endian. */
  readBytes(name: string, rows?: RowRange): Promise<Uint8Array>;
}

/** A source over tensors in memory. */
export function tensorMapSource(tensors: TensorMap): TensorSource {
  const described = new Map<string, TensorDescription>();
  for (const [name, { shape }] of tensors) described.set(name, { dtype: "F32", shape });
  const rowsOf = (name: string, rows: RowRange | undefined): Tensor => {
    const { shape } = describe(described, name);
    const { data } = tensors.get(name) as Tensor;
    if (rows === undefined) return { shape, data };
    const { first, count, rowShape } = cut(name, shape, rows);
    return { shape: rowShape, data: data.subarray(first, first + count) };
  };
  return {
    tensors: described,
    read: async (name, rows) => rowsOf(name, rows),
    readBytes: async (name, rows) => {
      const { data } = rowsOf(name, rows);
      return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
    },
  };
}

/** One safetensors file; only its header is read here. @throws WaggleError `MODEL_CORRUPT`. */
export async function openSafetensors(file: ByteSource): Promise<TensorSource> {
  const start = await file.read(0, Math.min(8, file.sizeBytes));
  const header = await file.read(8, safetensorsHeaderLength(start, file.sizeBytes));
  const { entries } = parseSafetensorsHeader(header, file.sizeBytes);
  return new SafetensorsSource(entries.map((entry) => ({ ...entry, file })));
}

/**
 * A checkpoint in several files, as one source.
 * @param index - bytes of `model.safetensors.index.json`.
 * @param open - opens a file in the same folder.
 * @throws WaggleError `MODEL_CORRUPT` if the index lists a tensor that its file does not have.
 */
export async function openShardedSafetensors(
  index: Uint8Array,
  open: (path: string) => Promise<ByteSource>,
): Promise<TensorSource> {
  const places: Place[] = [];
  for (const [path, names] of parseShardIndex(index)) {
    const file = await open(path);
    const source = (await openSafetensors(file)) as SafetensorsSource;
    for (const name of names) {
      if (!source.tensors.has(name)) throw missingInShard(name, path);
    }
    const wanted = new Set(names);
    for (const place of source.tensors.values()) if (wanted.has(place.name)) places.push(place);
  }
  return new SafetensorsSource(places);
}

type Place = SafetensorsEntry & { readonly file: ByteSource };

class SafetensorsSource implements TensorSource {
  readonly tensors: ReadonlyMap<string, Place>;

  constructor(places: readonly Place[]) {
    this.tensors = new Map(places.map((place) => [place.name, place]));
  }

  async read(name: string, rows?: RowRange): Promise<Tensor> {
    const { dtype, shape } = describe(this.tensors, name);
    const rowShape = rows === undefined ? shape : cut(name, shape, rows).rowShape;
    return { shape: rowShape, data: toFloat32(await this.readBytes(name, rows), dtype) };
  }

  async readBytes(name: string, rows?: RowRange): Promise<Uint8Array> {
    const { file, dtype, shape, begin, end } = describe(this.tensors, name);
    if (rows === undefined) return file.read(begin, end - begin);
    const { first, count } = cut(name, shape, rows);
    const size = elementBytes(dtype);
    return file.read(begin + first * size, count * size);
  }
}

function describe<T>(tensors: ReadonlyMap<string, T>, name: string): T {
  const found = tensors.get(name);
  if (found !== undefined) return found;
  throw new WaggleError(
    "MODEL_CORRUPT",
    `no tensor ${name.slice(0, 100)} among ${tensors.size}; use weights that belong to this config`,
  );
}

/** Range of the rows' elements. */
function cut(
  name: string,
  shape: readonly number[],
  { begin, end }: RowRange,
): { first: number; count: number; rowShape: number[] } {
  const [rows = 1, ...rest] = shape;
  if (begin < 0 || end < begin || end > rows) {
    throw new WaggleError(
      "MODEL_CORRUPT",
      `${name} has no rows ${begin} to ${end}; its shape is [${shape.join(", ")}]`,
    );
  }
  const rowElements = elementCount(rest);
  return {
    first: begin * rowElements,
    count: (end - begin) * rowElements,
    rowShape: [end - begin, ...rest],
  };
}

/** Stored little-endian numbers as a new float32 array. */
export function toFloat32(bytes: Uint8Array, dtype: SafetensorsDataType): Float32Array {
  if (dtype === "F16") return fromFloat16Bits(toUint16(bytes));
  const data = new Float32Array(bytes.length / elementBytes(dtype));
  switch (dtype) {
    case "F32":
      new Uint8Array(data.buffer).set(bytes);
      return data;
    case "U8":
      data.set(bytes);
      return data;
    case "I8":
      data.set(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
      return data;
    case "BF16": {
      const halves = toUint16(bytes);
      const words = new Uint32Array(data.buffer);
      for (let i = 0; i < halves.length; i++) words[i] = (halves[i] as number) << 16;
      return data;
    }
  }
}

function toUint16(bytes: Uint8Array): Uint16Array {
  // tensors may start at odd offsets in a file
  const aligned = bytes.byteOffset % 2 === 0 ? bytes : bytes.slice();
  return new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.length / 2);
}
